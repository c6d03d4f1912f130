import { resultsModes } from "@toolpacks/core";
import { surfaceNames } from "@toolpacks/surface";
import { workflowSources } from "@toolpacks/workflows/definition";
import { z } from "zod";
import { logLevels } from "../log.ts";
import { shortAddressFormats } from "../stores/bundled-drivers.ts";

const names = z.array(z.string().min(1)).max(1000);

const threshold = z.union([z.int().min(200), z.strictObject({ tokens: z.int().min(100) }), z.literal(false)]);

const relaySettings = z.strictObject({
  threshold: threshold.optional().describe("bytes, or {tokens}; a longer result becomes a handle; default 16384"),
  tools: z.record(z.string(), threshold).optional().describe("by tool, in its place; false: never"),
  mediaThreshold: z.int().min(200).optional().describe("bytes of an image or sound; default 1048576"),
  mode: z.enum(["opaque", "json"]).optional().describe("how handles are written; default opaque"),
  page: z.int().min(200).max(200_000).optional().describe("maximum bytes of a relay_read result; default 8000"),
  maxAgeHours: z.number().min(0).optional().describe("how long a value is kept; default 24"),
  maxBytes: z.int().min(0).optional().describe("of all values in the store together; default 268435456"),
});

/** Schema of the config file. Flags and the environment take precedence over it. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("where an editor finds this schema"),
  surface: z.enum(surfaceNames).optional().describe("how tools are listed; default discovery"),
  expose: names.optional().describe("facets that are listed: core, or a pack's name; default core"),
  deny: names.optional().describe("facets and tools that can be neither listed, found nor called"),
  facet: z.string().optional().describe("mount this one pack alone, its tools listed directly"),
  roots: names.optional().describe("directories within which files may be reached, relative to this file"),
  clientRoots: z
    .union([z.boolean(), names])
    .optional()
    .describe("where no root is given, take the client's: all, or those inside these folders; default true"),
  store: z.string().min(1).optional().describe(`where records live: ${shortAddressFormats}`),
  maxWorkspaceBytes: z
    .union([z.int().min(0), z.literal(false)])
    .optional()
    .describe("bytes that the records of one workspace may take; default 1073741824; false: no bound"),
  workspace: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("id of the workspace that records belong to; default the first root's, else default"),
  workspaces: z
    .union([z.enum(["own", "all"]), z.array(z.string().min(1).max(100)).max(1000)])
    .optional()
    .describe("workspaces that calls may open: own, all, or ids beside the own one; default own"),
  write: z.boolean().optional().describe("offer the tools that change files; default false"),
  readOnly: z.boolean().optional().describe("refuse every tool that mutates; default false"),
  relay: z
    .union([z.boolean(), relaySettings])
    .optional()
    .describe("large results as handles, on the discovery and two-tool surfaces; default true"),
  results: z.enum(resultsModes).optional().describe("form of results; default text on discovery, both on direct"),
  autoBudget: z.int().min(0).optional().describe("maximum tokens that the auto surface lists directly; default 5000"),
  embeddings: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).describe("its address, such as http://localhost:11434/v1"),
      model: z.string().min(1),
      keyVariable: z.string().min(1).optional().describe("environment variable that holds its key"),
    })
    .optional()
    .describe("an OpenAI-compatible endpoint, by which tool_search ranks by meaning too; default none"),
  sdk: z
    .union([z.literal(1), z.literal(2)])
    .optional()
    .describe("line of the MCP SDK that serves; default 2"),
  watch: z.boolean().optional().describe("apply changes of this file while running; default false"),
  logLevel: z.enum(logLevels).optional().describe("log level on stderr; default info"),
  // Each block is validated later, on its own: an invalid block must not disable the others.
  mcpServers: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("other MCP servers, each a facet, as clients write them"),
  packs: z
    .record(z.string(), z.union([z.boolean(), z.record(z.string(), z.unknown())]))
    .optional()
    .describe("options of a bundled pack, or of one to import by path or npm name; false leaves it out"),
  workflows: workflowSources.optional().describe("named sequences of steps over any mounted tool"),
});

export type Config = z.output<typeof configSchema>;
