import { applyEdits, modify } from "jsonc-parser";
import type { Edit } from "./edit.ts";

/** Applies edits to a JSON text. Everything else in it, comments too, stays unchanged. */
export function applyJsonEdits(text: string, edits: readonly Edit[]): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol };
  return edits.reduce(
    (before, { at, value }) => applyEdits(before, modify(before, [...at], value, { formattingOptions })),
    text.trim() === "" ? "{}\n" : text,
  );
}
