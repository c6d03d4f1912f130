import { z } from "zod";
import { definedOnly } from "../../defined-only.ts";
import { detail } from "../../detail.ts";
import { listSchema, renderList } from "../../list.ts";
import { closest } from "../../nearest.ts";
import { coreObject, fieldNames } from "../../object-schema.ts";
import { ToolError } from "../../tool-error.ts";
import { defineTool } from "../../define-tool.ts";
import type { Tool } from "../../tool.ts";
import type { Kind, RecordData } from "../store.ts";
import type { Filter } from "../query.ts";
import { todayText } from "../../today-text.ts";
import { isObject } from "../../is-object.ts";
import { valueAt } from "../value-at.ts";
import { checkNestedField, rootField } from "./nested-field.ts";
import { recordList } from "../record-list.ts";
import { recurringQuery } from "./recurring-query.ts";
import { renderRecord, summarize } from "./record-line.ts";
import { filterSchema, kindUses } from "./kind-uses.ts";
import { kindName, onlyKinds, type StoreTools } from "./store-tools.ts";

export const queryInput = z.object({
  // The query checks the names. A zod record would drop `__proto__`.
  filter: z
    .unknown()
    .refine(isObject, "expected an object of conditions")
    .meta({ type: "object" })
    .optional()
    .describe("{field: value | {gt|gte|lt|lte|in|contains|exists: …}, and|or: […], not: {…}}"),
  text: z.string().max(1_000).optional().meta(detail("words that must all occur")),
  sort: z.array(z.string().max(200)).max(4).optional().describe("-field descends"),
  limit: z.int().min(0).max(200).optional().meta(detail("default: few of many")),
  cursor: z.string().max(8_000).optional().meta(detail("from the page before")),
  fields: z.array(z.string().max(200)).max(50).optional().describe("* is all"),
  includeClosed: z.boolean().optional().meta(detail("closed ones too")),
  sinceGeneration: z.int().min(0).optional().meta(detail("only what was written after it, oldest first")),
});

export const queryOutput = listSchema(z.looseObject({ id: z.string() })).extend({
  generation: z.int(),
  today: z.string().optional().describe("of a kind whose records recur"),
});

const verbs = ["list", "search", "find", "show", "get", "look up"];

/** `store_query`: finds records of any kind. */
export function storeQuery(tools: StoreTools): Tool {
  let selfContained: Tool | undefined;
  const kinds = () =>
    z
      .string()
      .max(200)
      .describe(tools.kinds.names.join(", ") || "none");
  return { ...queryTool(tools, kindName), selfContained: () => (selfContained ??= queryTool(tools, kinds())) };
}

/** @param kind the schema of the kind's name */
function queryTool(tools: StoreTools, kind: z.ZodString): Tool {
  const tool = defineTool({
    name: "store_query",
    description: "Find records by fields, words or changes.",
    keywords: [...verbs, ...tools.kinds.names],
    mutates: false,
    input: z.object({ kind, ...queryInput.shape }),
    output: queryOutput,
    text: renderQuery,
    handler: ({ kind: name, ...query }, { principal }) =>
      runQuery(tools, tools.kinds.find(name), { ...query, caller: principal }),
  });
  return {
    ...tool,
    forKinds: (isIncluded) => storeQuery(onlyKinds(tools, isIncluded)),
    uses: kindUses(tool, {
      kinds: tools.kinds.all,
      // As many words as those of store_put, so that the tool with fewer is not the better hit.
      keywords: [...verbs, "filter"],
      fields: (kind, { filter = {} }) => ({ filter: filterSchema(kind, filter) }),
    }),
  };
}

export function renderQuery(page: z.output<typeof queryOutput>): string {
  const list = renderList(page, renderRecord);
  return page.today === undefined ? list : `${list}\n${page.today}`;
}

/** Runs a query for a tool. Without `fields` it returns summaries. Without `limit` a long list is compacted. */
export async function runQuery(
  { store, compaction }: StoreTools,
  kind: Kind,
  query: z.output<typeof queryInput> & { readonly caller: string },
): Promise<z.input<typeof queryOutput>> {
  const { fields, filter, ...rest } = query;
  checkFields(kind, fields ?? []);
  const series = filter && recurringQuery(kind, filter as Filter);
  const found = await store.query(kind, {
    ...definedOnly(rest),
    ...(filter && { filter: series?.filter ?? (filter as Filter) }),
    compaction,
    skipDamaged: true,
  });
  const { page, occurrences } = series === undefined ? { page: found } : await series.expand(found);
  const isFeed = query.sinceGeneration !== undefined;
  const list = recordList(
    page,
    ({ id, data, generation, closed }) => ({
      id,
      ...(closed && { closed }),
      ...((isFeed || fields?.includes("*") === true) && { generation }),
      ...(fields === undefined ? summarize(kind, data) : shownFields(kind, data, fields)),
      ...(occurrences?.has(id) && { occurrences: occurrences.get(id) }),
    }),
    "Narrow it with filter or text, or name a limit.",
  );
  // The generation to continue a feed from, which the text does not contain otherwise.
  const hints = [list.hint, ...(isFeed ? [`generation ${page.generation}`] : [])].filter((hint) => hint !== undefined);
  return {
    ...list,
    generation: page.generation,
    ...(hints.length > 0 && { hint: hints.join("\n") }),
    ...(kind.recurring && { today: todayText() }),
  };
}

/** Rejects unknown and hidden fields. Otherwise a misspelt field would look like one without values. */
function checkFields(kind: Kind, fields: readonly string[]): void {
  const { name, schema, hidden } = kind;
  const known = fieldNames(schema).filter((field) => !hidden.includes(field));
  const secret = fields.map((field) => rootField(field)).find((field) => hidden.includes(field));
  if (secret !== undefined) {
    const message = `fields: ${secret} of a ${name} is shown only by the tools of its pack`;
    throw new ToolError("denied", message, `Others are ${known.join(", ")}.`);
  }
  for (const field of fields) if (known.includes(rootField(field))) checkNestedField(kind, field);
  const unknown = fields.find((field) => field !== "*" && !known.includes(rootField(field)));
  if (unknown === undefined || coreObject(schema)._zod.def.catchall?._zod.def.type === "unknown") return;
  const near = closest(rootField(unknown), known);
  const shown = JSON.stringify(unknown);
  throw new ToolError(
    "invalid_input",
    `fields: a ${name} has no field ${shown}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `It has ${known.join(", ")}.`,
  );
}

function shownFields(kind: Kind, data: RecordData, fields: readonly string[]): Record<string, unknown> {
  const names = fields.includes("*") ? Object.keys(data) : fields;
  const known = fieldNames(kind.schema);
  return Object.fromEntries(
    names.flatMap((name): [string, unknown][] => {
      if (kind.hidden.includes(rootField(name)) || name === "*") return [];
      if (Object.hasOwn(data, name)) return [[name, data[name]]];
      // Null shows that the record has no such value. A field of the schema is absent then, as in the record.
      return known.includes(name) ? [] : [[name, valueAt(data, name) ?? null]];
    }),
  );
}
