import { isObject, type JsonSchema } from "@toolpacks/core";
import { asObject, nameText, parameters } from "./signature.ts";

/** Fields of lists. The text of an answer says what they hold. */
const listFields: ReadonlySet<string> = new Set(["total", "cursor", "compacted", "hint"]);

/** Maximum fields of a result that are named, and of each object in it. */
const maxFields = [12, 12] as const;

/** The names of a result's fields, for references to it: `items[]{id,title},files`. Empty if they are unknown. */
export function resultText(schema: JsonSchema): string {
  const isList = asObject(schema["properties"])["items"] !== undefined;
  return fieldNames(schema, maxFields, (name) => isList && listFields.has(name));
}

/** Maximum lists that a signature names, fields of an item of the first one, and fields of each object in it. */
const maxLists = 2;
const maxItemFields = [8, 4] as const;

/** The first lists of a result, as a signature names them for references: ` -> items[]`, with `fields` after the first one. Empty if there are none. */
export function resultLists(schema: JsonSchema, fields = ""): string {
  const names = listsOf(schema).map(({ name }, at) => `${nameText(name)}[]${at === 0 ? fields : ""}`);
  const cursor = fields !== "" && asObject(schema["properties"])["cursor"] !== undefined ? ["cursor"] : [];
  return names.length === 0 ? "" : ` -> ${[...names, ...cursor].join(", ")}`;
}

/** The names of the fields of the first list's items: `{path,lines[]{line,text}}`. Empty if there are none. */
export function itemFields(schema: JsonSchema): string {
  const names = fieldNames(asObject(listsOf(schema)[0]?.schema["items"]), maxItemFields);
  return names && `{${names}}`;
}

function listsOf(schema: JsonSchema) {
  return parameters(schema)
    .filter(({ schema: field }) => field["type"] === "array")
    .slice(0, maxLists);
}

/** @param max how many fields are named, then of each object in them, and so on */
function fieldNames(
  schema: JsonSchema,
  [max = 0, ...inner]: readonly number[],
  isOmitted: (name: string) => boolean = () => false,
): string {
  const fields = parameters(schema).filter(({ name }) => !isOmitted(name));
  const names = fields.slice(0, max).map(({ name, schema: field }) => {
    const isList = field["type"] === "array";
    const inside = fieldNames(isList ? asObject(field["items"]) : field, inner);
    return `${nameText(name)}${isList ? "[]" : ""}${inside && `{${inside}}`}`;
  });
  const hasMore = fields.length > max || isObject(schema["additionalProperties"]);
  return [...names, ...(hasMore && names.length > 0 ? ["…"] : [])].join(",");
}
