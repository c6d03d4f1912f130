import { applyEdits, modify, type Edit as TextEdit } from "jsonc-parser";
import type { Edit } from "./edit.ts";

/** Applies edits to a JSON text. Everything else in it stays unchanged: comments, spaces and line breaks. */
export function applyJsonEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce(applyEdit, text.trim() === "" ? "{}\n" : text);
}

function applyEdit(text: string, { at, value }: Edit): string {
  // The formatter of the library would also format the values beside the new one.
  const changes = modify(text, [...at], value, {});
  return applyEdits(
    text,
    changes.map((change) => (value === undefined ? withoutIndent(text, change) : formatted(text, change))),
  );
}

/** The library removes the first property with the line break and the indentation before it, which the next property needs. */
function withoutIndent(text: string, change: TextEdit): TextEdit {
  const end = change.offset + change.length;
  if (text[change.offset - 1] !== "{" || /^\s*\}/.test(text.slice(end))) return change;
  const indent = /^\s*/.exec(text.slice(change.offset, end))?.[0].length ?? 0;
  return { ...change, offset: change.offset + indent, length: change.length - indent };
}

/** Spreads the JSON of an inserted property or of a replaced value over lines, indented as the file is. */
function formatted(text: string, { offset, length, content }: TextEdit): TextEdit {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const lineIndent = /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? "";
  if (length > 0) return { offset, length, content: spread(JSON.parse(content), { unit, eol, base: lineIndent }) };
  const comma = content.startsWith(",") ? "," : "";
  // A line that ends with the previous property has its indentation, or that of its closing brace. An empty parent's is one less.
  const base = comma === "" ? lineIndent + unit : indentOfProperties(text, { offset, unit, lineIndent });
  const members = spread(JSON.parse(`{${content.slice(comma.length)}}`), { unit, eol, base: base.slice(unit.length) });
  const inner = members.slice(1, -1).trimEnd();
  const [rest = ""] = /^\s*(?=\})/.exec(text.slice(offset)) ?? [];
  const closing = rest.includes("\n") && comma !== "" ? rest : `${eol}${base.slice(unit.length)}`;
  const isBeforeBrace = /^\s*\}/.test(text.slice(offset));
  return {
    offset,
    length: isBeforeBrace ? rest.length : 0,
    content: `${comma}${inner}${isBeforeBrace ? closing : ""}`,
  };
}

/** The indentation of the properties of the object that ends after an offset. */
function indentOfProperties(
  text: string,
  { offset, unit, lineIndent }: { offset: number; unit: string; lineIndent: string },
): string {
  const end = /^[^{}"]*\n([ \t]*)\}/.exec(text.slice(offset))?.[1];
  return end === undefined ? lineIndent : end + unit;
}

interface Layout {
  readonly unit: string;
  readonly eol: string;
  /** Indentation of the line with the value. */
  readonly base: string;
}

function spread(value: unknown, { unit, eol, base }: Layout): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", `${eol}${base}`);
}
