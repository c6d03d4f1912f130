import { parse, patch } from "@decimalturn/toml-patch";
import { isObject } from "@toolpacks/core";
import { parse as parseStrictly, stringify } from "smol-toml";
import { setValues, type Edit } from "./edit.ts";

/** Applies edits to a TOML text. Comments and the form of all other values stay. */
export function applyTomlEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, edit) => withTable(before, edit) ?? withValue(before, edit), text);
}

/** Appends a new table, as a person would. Undefined if the edit is another one, or the file does not allow a table there. */
function withTable(text: string, { at, value }: Edit): string | undefined {
  if (!isObject(value)) return undefined;
  const added = stringify(at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value));
  const gap = text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  const lines = `${gap}${added.trim()}\n`;
  const result = `${text}${text.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines}`;
  try {
    parseStrictly(result);
    return result;
  } catch {
    // The table exists, or its parent is an inline table.
    return undefined;
  }
}

function withValue(text: string, edit: Edit): string {
  return patch(text, setValues(parse(text), [edit]));
}
