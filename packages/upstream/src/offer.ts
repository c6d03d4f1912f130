import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { z } from "zod";
import { definitionLimit } from "./definition-limit.ts";
import type { UpstreamPlan } from "./options.ts";

const text = z.string();
const fields = z.record(z.string(), z.unknown());

/** Fields that nobody here reads, such as icons, are not kept. */
const offeredTool = z.object({
  name: text.min(1).max(1_000),
  title: text.optional(),
  description: text.optional(),
  /** Why the tool cannot be used here, in place of its schemas. */
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
});
const offeredResource = z.looseObject({ uri: text, name: text });
const offeredTemplate = z.looseObject({ uriTemplate: text, name: text });
const offeredPrompt = z.looseObject({ name: text.min(1).max(1_000) });

/** What a server offers, as it says it: what is cached of it. */
export const offerSchema = z.object({
  server: z.object({ name: text, version: text }),
  /** The revision of the protocol that it speaks: from before 2026, or since. */
  era: z.enum(["legacy", "modern"]),
  description: text.optional(),
  tools: z.array(offeredTool),
  resources: z.array(offeredResource),
  templates: z.array(offeredTemplate),
  prompts: z.array(offeredPrompt),
});

export type Offer = z.output<typeof offerSchema>;
export type OfferedTool = z.output<typeof offeredTool>;
export type OfferedPrompt = z.output<typeof offeredPrompt>;

const mostPages = 100;
const mostOthers = 10_000;

/** Asks a server for everything that it offers, page by page. */
export async function askForOffer(client: Client, plan: UpstreamPlan): Promise<Offer> {
  const options = { timeout: plan.connectSeconds * 1_000 };
  const ask = { client, options, server: plan.name, maxCharacters: plan.maxResultBytes };
  const can = client.getServerCapabilities() ?? {};
  const { name, version } = client.getServerVersion() ?? { name: plan.name, version: "" };
  const instructions = client.getInstructions();
  const tools = can.tools
    ? await listAll(ask, {
        method: "tools/list",
        key: "tools",
        item: offeredTool,
        most: plan.maxTools,
        tooLarge: (tool, unusable) => [{ name: tool.name, unusable, inputSchema: { type: "object" } }],
      })
    : [];
  const others = { most: mostOthers };
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
    can.prompts ? listAll(ask, { method: "prompts/list", key: "prompts", item: offeredPrompt, ...others }) : [],
  ]);
  return {
    server: { name, version },
    era: client.getProtocolEra() ?? "legacy",
    ...(instructions !== undefined && { description: instructions }),
    tools,
    resources,
    templates,
    prompts,
  };
}

interface Ask {
  readonly client: Client;
  readonly options: RequestOptions;
  readonly server: string;
  /** Of one list, all pages together. */
  readonly maxCharacters: number;
}

interface Listing<Item extends z.ZodType> {
  readonly method: string;
  /** The field that the items are in. */
  readonly key: string;
  readonly item: Item;
  readonly most: number;
  /** What stands in place of an item that is too large. Default: nothing. */
  readonly tooLarge?: (item: z.output<Item>, reason: string) => readonly z.output<Item>[];
}

/** Items that are not what the protocol says are left out; they must not cost the others. */
async function listAll<Item extends z.ZodType>(
  { client, options, server, maxCharacters }: Ask,
  { method, key, item, most, tooLarge = () => [] }: Listing<Item>,
): Promise<z.output<Item>[]> {
  const page = z.looseObject({ nextCursor: text.nullish() });
  const items: z.output<Item>[] = [];
  let cursor: string | undefined;
  let characters = 0;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const answer = await client.request({ method, params: cursor === undefined ? {} : { cursor } }, page, options);
    const raw = answer[key];
    for (const one of Array.isArray(raw) ? (raw as readonly unknown[]) : []) {
      const { data } = item.safeParse(one);
      if (data === undefined) continue;
      const reason = definitionLimit(data as object);
      if (reason === undefined) characters += JSON.stringify(data).length;
      items.push(...(reason === undefined ? [data] : tooLarge(data, reason)));
      if (items.length > most || characters > maxCharacters) break;
    }
    if (characters > maxCharacters) {
      throw new ToolError(
        "too_large",
        `${server}: its ${method} is longer than ${maxCharacters.toLocaleString("en")} characters`,
        "The user can raise maxResultBytes in its block.",
      );
    }
    if (items.length > most) {
      throw new ToolError(
        "too_large",
        `${server} lists more than ${most} ${key}`,
        "Whoever runs it can raise maxTools.",
      );
    }
    if (answer.nextCursor === undefined || answer.nextCursor === null || answer.nextCursor === "") return items;
    if (answer.nextCursor === cursor) break;
    cursor = answer.nextCursor;
  }
  throw new ToolError("unavailable", `${server}: its ${method} does not end`, "Whoever runs it has to mend it.");
}
