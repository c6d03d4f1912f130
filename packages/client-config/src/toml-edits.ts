import { isDeepStrictEqual } from "node:util";
import { parse, patch } from "@decimalturn/toml-patch";
import { isObject } from "@toolpacks/core";
import { parse as parseStrictly, stringify } from "smol-toml";
import { setValues, type Edit } from "./edit.ts";

/** Applies edits to a TOML text. Comments and the form of all other values stay. */
export function applyTomlEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce(
    (before, edit) => withTable(before, edit) ?? withoutTable(before, edit) ?? withValue(before, edit),
    text,
  );
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

/** Removes the lines of a table and of the tables in it. Comments after them stay. Undefined if the edit is another one, or the value has another form. */
function withoutTable(text: string, edit: Edit): string | undefined {
  if (edit.value !== undefined) return undefined;
  const parts = text.split(/^(?=[ \t]*\[)/m);
  const kept = parts.map((part) => (isInside(part, edit.at) ? afterTable(part) : part));
  const result = kept.join("").replace(/(\r?\n)(\r?\n)+$/, "$1");
  try {
    const expected = setValues(parseStrictly(text), [edit]);
    return isDeepStrictEqual(parseStrictly(result), expected) ? result : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a part of a file begins with the header of a table at a path, or of one in it. */
function isInside(part: string, at: readonly string[]): boolean {
  try {
    const [header = ""] = part.split(/\r?\n/, 1);
    return (
      at.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), parseStrictly(header)) !==
      undefined
    );
  } catch {
    return false;
  }
}

/** The comments at the end of a table's lines, which may belong to the next one. */
function afterTable(part: string): string {
  return /(?:^[ \t]*#.*(?:\r?\n|$)|^[ \t]*\r?\n)*$(?![\s\S])/m.exec(part)?.[0].replace(/^\s+/, "") ?? "";
}

function withValue(text: string, edit: Edit): string {
  return patch(text, setValues(parse(text), [edit]));
}
