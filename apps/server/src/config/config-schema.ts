import { resultsModes } from "@toolpacks/core";
import { surfaceNames } from "@toolpacks/surface";
import type { BudgetSettings, ModelSettings, RoutingSettings } from "@toolpacks/models/settings";
import { workflowSources } from "@toolpacks/workflows/definition";
import { z } from "zod";
import { logLevels } from "../log.ts";
import { shortAddressFormats } from "../stores/bundled-drivers.ts";
import { httpSchema } from "@toolpacks/host";

const names = z.array(z.string().min(1)).max(1000);

const tokens = z.union([z.int().min(100), z.literal(false)]);

const relaySettings = z.strictObject({
  thresholdTokens: tokens
    .optional()
    .describe("a result of more tokens becomes a handle; default 4000; false: only by tool"),
  toolThresholdTokens: z
    .record(z.string(), tokens)
    .optional()
    .describe("threshold of each tool in tokens, in place of the default; false: never a handle"),
  mediaThreshold: z.int().min(200).optional().describe("threshold of images and sounds in bytes; default 1048576"),
  mode: z.enum(["opaque", "json"]).optional().describe("how handles are written; default opaque"),
  page: z.int().min(200).max(200_000).optional().describe("maximum bytes of a relay_read result; default 8000"),
  maxAgeHours: z.number().min(0).optional().describe("how long a value is kept; default 24"),
  maxBytes: z.int().min(0).optional().describe("maximum bytes of all values in the store; default 268435456"),
});

/** Schema of the config file. Flags and the environment take precedence over it. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("address of this schema, for editors"),
  surface: z.enum(surfaceNames).optional().describe("how tools are listed; default discovery"),
  expose: names.optional().describe("facets whose tools are listed: core, or a pack's name; default core"),
  deny: names.optional().describe("facets and tools that are not listed, found or called"),
  facet: z.string().optional().describe("mount only this pack and list its tools directly"),
  roots: names.optional().describe("folders whose files the tools may access, relative to this file"),
  clientRoots: z
    .union([z.boolean(), names])
    .optional()
    .describe(
      "without other roots, use the client's roots: all (true), none (false), or the roots in these folders; default true",
    ),
  store: z.string().min(1).optional().describe(`store of the records: ${shortAddressFormats}`),
  maxWorkspaceBytes: z
    .union([z.int().min(0), z.literal(false)])
    .optional()
    .describe("maximum bytes of the records of one workspace; default 1073741824; false: no limit"),
  workspace: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("id of the workspace of the records; default the workspace of the first root, else default"),
  workspaces: z
    .union([z.enum(["own", "all"]), z.array(z.string().min(1).max(100)).max(1000)])
    .optional()
    .describe("workspaces that calls may open: own, all, or a list of ids in addition to the own one; default own"),
  write: z.boolean().optional().describe("enable the tools that change files; default false"),
  readOnly: z.boolean().optional().describe("refuse all tools that change anything; default false"),
  relay: z
    .union([z.boolean(), relaySettings])
    .optional()
    .describe("replace large results by handles; default true, on direct and with facet false"),
  results: z.enum(resultsModes).optional().describe("form of results; default text on discovery, both on direct"),
  autoBudget: z.int().min(0).optional().describe("maximum tokens that the auto surface lists directly; default 5000"),
  embeddings: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).describe("address, such as http://localhost:11434/v1"),
      model: z.string().min(1).describe("name of the model at the endpoint"),
      keyVariable: z.string().min(1).optional().describe("environment variable that holds the key"),
    })
    .optional()
    .describe("OpenAI-compatible endpoint whose vectors tell the meaning of tools and facts; default none"),
  meaning: z
    .union([z.boolean(), z.enum(["minilm", "table"])])
    .optional()
    .describe(
      "find tools and records also by meaning: minilm by the model of @toolpacks/meaning-minilm, table by the word vectors that come with the server, true by the model where it is installed beside the server, else by the table; default true",
    ),
  // Validated by `model-fields.ts`, which only a file with one of these keys loads.
  models: z.custom<Record<string, ModelSettings>>().optional(),
  routing: z.custom<RoutingSettings>().optional(),
  modelBudget: z.custom<BudgetSettings>().optional(),
  http: httpSchema.optional().describe("address, callers and limits of serve --http"),
  watch: z.boolean().optional().describe("reload this file when it changes; default false"),
  logLevel: z.enum(logLevels).optional().describe("minimum level of the log on stderr; default info"),
  // Each block is validated later, on its own: an invalid block must not disable the others.
  mcpServers: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "other MCP servers in the format of MCP clients; each is a facet; with identity: caller, each caller has its own process and sign-in",
    ),
  packs: z
    .record(z.string(), z.union([z.boolean(), z.record(z.string(), z.unknown())]))
    .optional()
    .describe("options of a bundled pack, or of a pack that is imported by path or npm name; false leaves it out"),
  workflows: workflowSources.optional().describe("named sequences of steps over any mounted tool"),
});

export type Config = z.output<typeof configSchema>;
