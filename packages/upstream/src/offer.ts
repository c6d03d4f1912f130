import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { isObject, ToolError } from "@toolpacks/core";
import { z } from "zod";
import { cleanText } from "./clean-text.ts";
import { definitionSize } from "./definition-limit.ts";
import type { UpstreamPlan } from "./options.ts";
import { listedMeta } from "./passed-meta.ts";
import { listableInput, listableOutput } from "./listable-schema.ts";

const text = z.string();
const fields = z.record(z.string(), z.unknown());

/** A listed tool. Other fields, such as icons, are dropped. Its `_meta` is for the client. */
const offeredTool = z.object({
  name: text.min(1).max(1_000),
  title: text.optional(),
  description: text.optional(),
  /** Why the tool cannot be used. Its schemas are then dropped. */
  unusable: text.optional(),
  inputSchema: fields.catch({ type: "object" }),
  outputSchema: fields.optional().catch(undefined),
  annotations: z
    .object({
      title: text.optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
  _meta: listedMeta,
});
/** Common fields of resources and templates. Others, such as icons, are dropped. An SDK's client rejects a whole list for one field of a wrong type. */
const resourceFields = {
  name: text,
  title: text.optional(),
  description: text.optional(),
  mimeType: text.optional(),
  annotations: z
    .object({
      audience: z.array(z.enum(["user", "assistant"])).optional(),
      priority: z.number().min(0).max(1).optional(),
      lastModified: z.iso.datetime({ offset: true }).optional(),
    })
    .optional()
    .catch(undefined),
  _meta: listedMeta,
};
/** A URI as lists show it. */
const address = text.refine(
  (uri) => !/\s/.test(uri) && cleanText(uri) === uri,
  "expected no spaces or unseen characters",
);
const offeredResource = z.object({ uri: address, size: z.number().optional(), ...resourceFields });
const offeredTemplate = z.object({ uriTemplate: address, ...resourceFields });
/** Only the fields that are compared with what was accepted. */
const offeredPrompt = z.object({
  name: text.min(1).max(1_000),
  description: text.optional(),
  arguments: z
    .array(z.object({ name: text, description: text.optional(), required: z.boolean().optional() }))
    .optional(),
});

/** What a server offers. This is cached. */
export const offerSchema = z.object({
  server: z.object({ name: text, version: text, title: text.optional(), description: text.optional() }),
  /** The protocol version: before 2026, or later. */
  era: z.enum(["legacy", "modern"]),
  description: text.optional(),
  tools: z.array(offeredTool),
  resources: z.array(offeredResource),
  templates: z.array(offeredTemplate),
  prompts: z.array(offeredPrompt),
  /** Invalid items of the lists, and why they were left out. */
  leftOut: z.array(text).optional(),
});

export type Offer = z.output<typeof offerSchema>;
export type OfferedTool = z.output<typeof offeredTool>;
export type OfferedPrompt = z.output<typeof offeredPrompt>;

/** Maximum size of all definitions of a server together. Each change of an offer is hashed and compared whole. */
const maxOfferCharacters = 8_000_000;
const maxOfferValues = 500_000;
const maxPages = 100;
const maxOthers = 10_000;
/** Maximum length of a server's name and version. */
const maxIdentityCharacters = 200;
const maxDescriptionCharacters = 2_000;
/** Maximum left-out items that are reported. */
const maxLeftOut = 20;

/** Requests everything that a server offers, page by page. */
export async function askForOffer(client: Client, plan: UpstreamPlan): Promise<Offer> {
  const options = { timeout: plan.connectSeconds * 1_000 };
  const leftOut: string[] = [];
  const maxCharacters = Math.min(plan.maxResultBytes, maxOfferCharacters);
  const left = { characters: maxCharacters, values: maxOfferValues };
  const ask = { client, options, server: plan.name, maxCharacters, left, leftOut };
  const can = client.getServerCapabilities() ?? {};
  const { name, version, title, description } = client.getServerVersion() ?? { name: plan.name, version: "" };
  const instructions = client.getInstructions();
  const tools = can.tools
    ? await listAll(ask, {
        method: "tools/list",
        key: "tools",
        item: offeredTool,
        maxItems: plan.maxTools,
        finish: usableTool,
        nameOf: ({ name }) => name,
        tooLarge: (tool, unusable) => [{ name: tool.name, unusable, inputSchema: { type: "object" } }],
      })
    : [];
  const others = { maxItems: maxOthers };
  const [resources, templates, prompts] = await Promise.all([
    can.resources ? listAll(ask, { method: "resources/list", key: "resources", item: offeredResource, ...others }) : [],
    can.resources
      ? listAll(ask, {
          method: "resources/templates/list",
          key: "resourceTemplates",
          item: offeredTemplate,
          ...others,
        }).catch(() => [])
      : [],
    can.prompts
      ? listAll(ask, {
          method: "prompts/list",
          key: "prompts",
          item: offeredPrompt,
          nameOf: ({ name }) => name,
          ...others,
        })
      : [],
  ]);
  return {
    server: {
      name: name.slice(0, maxIdentityCharacters),
      version: version.slice(0, maxIdentityCharacters),
      title: title?.slice(0, maxIdentityCharacters),
      description: description?.slice(0, maxDescriptionCharacters),
    },
    era: client.getProtocolEra() ?? "legacy",
    description: instructions,
    tools,
    resources,
    templates,
    prompts,
    ...(leftOut.length > 0 && { leftOut }),
  };
}

interface OfferBudget {
  characters: number;
  values: number;
}

interface Ask {
  readonly client: Client;
  readonly options: RequestOptions;
  readonly server: string;
  /** Maximum characters of all lists together. */
  readonly maxCharacters: number;
  /** Size that the definitions of all lists may still have. */
  readonly left: OfferBudget;
  /** Collects the left-out items. */
  readonly leftOut: string[];
}

interface Listing<Item extends z.ZodType> {
  readonly method: string;
  /** The field with the items. */
  readonly key: string;
  readonly item: Item;
  readonly maxItems: number;
  readonly finish?: (item: z.output<Item>) => z.output<Item>;
  /** Of items with the same name, only the first is kept. */
  readonly nameOf?: (item: z.output<Item>) => string;
  /** Replaces an item that is too large. Default: it is dropped. */
  readonly tooLarge?: (item: z.output<Item>, reason: string) => readonly z.output<Item>[];
}

/** Reads a list. Invalid items are left out, so that the others can be used. */
async function listAll<Item extends z.ZodType>(
  { client, options, server, maxCharacters, left, leftOut }: Ask,
  { method, key, item, maxItems, tooLarge = () => [], finish = (one) => one, nameOf }: Listing<Item>,
): Promise<z.output<Item>[]> {
  const page = z.looseObject({ nextCursor: text.nullish() });
  const items: z.output<Item>[] = [];
  const names = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const answer = await client.request({ method, params: cursor === undefined ? {} : { cursor } }, page, options);
    const raw = answer[key];
    for (const one of Array.isArray(raw) ? (raw as readonly unknown[]) : []) {
      const { data, error } = item.safeParse(one);
      const name = data && nameOf?.(data);
      const isTwice = name !== undefined && names.has(name);
      if (data === undefined || isTwice) {
        const why = isTwice ? "a name twice" : invalidReason(error);
        if (leftOut.length < maxLeftOut) leftOut.push(`${key}: ${named(one)}: ${why}`);
        continue;
      }
      if (name !== undefined) names.add(name);
      const { characters, values, problem } = definitionSize(data as object);
      left.characters -= characters;
      left.values -= values;
      items.push(...(problem === undefined ? [finish(data)] : tooLarge(data, problem)));
      if (items.length > maxItems || left.characters < 0 || left.values < 0) break;
    }
    if (left.characters < 0 || left.values < 0) {
      const limit =
        left.values < 0
          ? `${maxOfferValues.toLocaleString("en")} values`
          : `${maxCharacters.toLocaleString("en")} characters`;
      throw new ToolError("too_large", `${server}: its lists have more than ${limit}`);
    }
    if (items.length > maxItems) {
      throw new ToolError(
        "too_large",
        `${server} lists more than ${maxItems} ${key}`,
        "The user can raise maxTools in its block.",
      );
    }
    if (answer.nextCursor === undefined || answer.nextCursor === null || answer.nextCursor === "") return items;
    if (answer.nextCursor === cursor) break;
    cursor = answer.nextCursor;
  }
  throw new ToolError(
    "unavailable",
    `${server}: its ${method} does not end`,
    "Only the author of the server can fix it.",
  );
}

/** The tool with schemas that every client can read. */
function usableTool({ outputSchema, ...tool }: OfferedTool): OfferedTool {
  const input = listableInput(tool.inputSchema);
  if ("reason" in input) return { name: tool.name, unusable: input.reason, inputSchema: { type: "object" } };
  const output = outputSchema && listableOutput(outputSchema);
  return { ...tool, inputSchema: input.schema, outputSchema: output };
}

function named(item: unknown): string {
  const name: unknown = isObject(item) ? (item["name"] ?? item["uri"]) : undefined;
  return typeof name === "string" ? JSON.stringify(name.slice(0, 100)) : "an item without a name";
}

function invalidReason(error: z.ZodError | undefined): string {
  const [first] = error?.issues ?? [];
  return first === undefined ? "not valid in MCP" : `${first.path.join(".") || "the item"}: ${first.message}`;
}
