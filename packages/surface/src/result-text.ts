import { isObject, type JsonSchema } from "@toolpacks/core";
import { asObject, nameText, parameters } from "./signature.ts";

/** Fields of lists. The text of an answer says what they hold. */
const listFields: ReadonlySet<string> = new Set(["total", "cursor", "compacted", "hint"]);

/** Maximum nesting of objects, and fields of each, that are named. */
const maxDepth = 2;
const maxFields = 12;

/** The names of a result's fields, for references to it: `items:{id,title}[],files`. Empty if they are unknown. */
export function resultText(schema: JsonSchema): string {
  const isList = asObject(schema["properties"])["items"] !== undefined;
  return fieldNames(schema, { depth: maxDepth, isOmitted: (name) => isList && listFields.has(name) });
}

/** Maximum lists that a signature names, fields of an item of the first one, and fields of a list in it. */
const maxLists = 2;
const maxItemFields = [8, 4] as const;

/** The first lists of a result, as a signature names them for references: ` -> items[]`, with `fields` after the first one. Empty if there are none. */
export function resultLists(schema: JsonSchema, fields = ""): string {
  const lists = parameters(schema).filter(({ schema: field }) => field["type"] === "array");
  const names = lists.slice(0, maxLists).map(({ name }, at) => `${nameText(name)}[]${at === 0 ? fields : ""}`);
  const cursor = fields !== "" && asObject(schema["properties"])["cursor"] !== undefined ? ["cursor"] : [];
  return names.length === 0 ? "" : ` -> ${[...names, ...cursor].join(", ")}`;
}

/** The names of the fields of the first list's items, and of lists in them: `{path, lines[]{line, text}}`. Empty if there are none. */
export function itemFields(schema: JsonSchema): string {
  const list = parameters(schema).find(({ schema: field }) => field["type"] === "array");
  return list === undefined ? "" : namesOf(asObject(list.schema["items"]), 0);
}

function namesOf(item: JsonSchema, depth: number): string {
  const fields = parameters(item);
  const max = maxItemFields[depth] ?? 0;
  const names = fields.slice(0, max).map(({ name, schema }) => {
    const isList = schema["type"] === "array";
    return `${nameText(name)}${isList ? `[]${namesOf(asObject(schema["items"]), depth + 1)}` : ""}`;
  });
  const hasMore = fields.length > max || isObject(item["additionalProperties"]);
  return names.length === 0 ? "" : `{${[...names, ...(hasMore ? ["…"] : [])].join(", ")}}`;
}

function fieldNames(
  schema: JsonSchema,
  { depth, isOmitted = () => false }: { readonly depth: number; readonly isOmitted?: (name: string) => boolean },
): string {
  const fields = parameters(schema).filter(({ name }) => !isOmitted(name));
  const names = fields.slice(0, maxFields).map(({ name, schema: field }) => {
    const isList = field["type"] === "array";
    const inner = depth === 1 ? "" : fieldNames(isList ? asObject(field["items"]) : field, { depth: depth - 1 });
    return `${nameText(name)}${inner === "" ? "" : `:{${inner}}`}${isList ? "[]" : ""}`;
  });
  return [...names, ...(fields.length > maxFields ? ["…"] : [])].join(",");
}
