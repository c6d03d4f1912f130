import type { JsonSchema } from "@toolpacks/core";
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

/** Maximum lists that a signature names. */
const maxLists = 2;

/** The first lists of a result, as a signature names them for references: ` -> items[]`. Empty if there are none. */
export function resultLists(schema: JsonSchema): string {
  const lists = parameters(schema).filter(({ schema: field }) => field["type"] === "array");
  return lists.length === 0
    ? ""
    : ` -> ${lists
        .slice(0, maxLists)
        .map(({ name }) => `${nameText(name)}[]`)
        .join(", ")}`;
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
