import type { z } from "zod";
import { coreObject, fieldNames } from "@toolpacks/schema";
import { definedOnly, closest, todayText, ToolError, type Filter, type Kind, type RecordData } from "@toolpacks/core";
import { recordList } from "../record-list.ts";
import { searchText } from "../search-text.ts";
import { valueAt } from "../value-at.ts";
import { checkNestedField, rootField } from "./nested-field.ts";
import { summarize } from "./record-line.ts";
import { recurringQuery } from "./recurring-query.ts";
import type { queryInput, queryOutput } from "./store-query.ts";
import type { StoreTools } from "./store-tools.ts";

/** What a record has beside its fields. A tool shows it without being asked; `generation` if it is named. */
const ofEveryRecord: ReadonlySet<string> = new Set(["id", "closed", "generation"]);

/** Runs a query for a tool. Without `fields` it returns summaries. Without `limit` a long list is compacted. */
export async function runQuery(
  { store, compaction }: StoreTools,
  kind: Kind,
  query: z.output<typeof queryInput> & { readonly caller: string },
): Promise<z.input<typeof queryOutput>> {
  const { fields: named, filter, ...rest } = query;
  const fields = named?.filter((field) => !ofEveryRecord.has(field));
  checkFields(kind, fields ?? []);
  const series = filter && recurringQuery(kind, filter as Filter);
  const found = await searchText(store, kind, {
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
      ...((isFeed || named?.some((field) => ["*", "generation"].includes(field)) === true) && { generation }),
      ...(fields === undefined ? summarize(kind, data) : shownFields(kind, data, fields)),
      ...(occurrences?.has(id) && { occurrences: occurrences.get(id) }),
    }),
    "Narrow it with filter or text, or name a limit.",
  );
  // The generation to continue a feed from, which the text does not contain otherwise.
  const hints = [list.hint, ...(isFeed ? [`generation ${page.generation}`] : [])].filter((hint) => hint !== undefined);
  const hint = hints.length === 0 ? undefined : hints.join("\n");
  return { ...list, generation: page.generation, hint, today: kind.recurring && todayText() };
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
