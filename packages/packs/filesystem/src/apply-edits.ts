import { closest, ToolError } from "@toolpacks/core";
import { z } from "zod";

const text = z.string().max(1_000_000);
const lineNumber = z.int().min(1);

/** One change to a text. Exactly one of the five forms. */
export const editSchema = z.strictObject({
  old: text.min(1).optional().describe("exact text, once in the file"),
  new: text.optional().describe("in its place"),
  line: lineNumber.optional().describe("insert before this line"),
  insert: text.optional().describe("text to insert"),
  from: lineNumber.optional().describe("first line to delete"),
  to: lineNumber.optional().describe("last line to delete"),
  append: text.optional().describe("text for the end"),
  prepend: text.optional().describe("text for the start"),
});

export type Edit = z.output<typeof editSchema>;

const forms = [["old", "new"], ["line", "insert"], ["from", "to"], ["append"], ["prepend"]] as const;
const accepted = "{old, new}, {line, insert}, {from, to}, {append} or {prepend}";

/**
 * Applies edits in order, each to the result of the one before.
 *
 * @param lineEnd what text with `\n` is given as in the file
 * @throws ToolError `invalid_input` naming the edit, and where its text stands or what is nearest
 */
export function applyEdits(original: string, edits: readonly Edit[], lineEnd: "\n" | "\r\n"): string {
  const start = lineEnd === "\r\n" ? original.replaceAll("\r\n", "\n") : original;
  const normal = (value: string) => (lineEnd === "\r\n" ? value.replaceAll("\r\n", "\n") : value);
  const edited = edits.reduce((current, edit, at) => apply(current, edit, { at, normal }), start);
  return lineEnd === "\r\n" ? edited.replaceAll("\n", "\r\n") : edited;
}

interface Position {
  readonly at: number;
  readonly normal: (value: string) => string;
}

function apply(current: string, edit: Edit, { at, normal }: Position): string {
  const given = Object.entries(edit).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const form = forms.find((fields) => fields.length === given.length && fields.every((field) => given.includes(field)));
  if (form === undefined) {
    throw new ToolError("invalid_input", `edits[${at}]: expected ${accepted}, received {${given.join(", ")}}`);
  }
  const { old = "", new: replacement = "", line = 1, insert = "", from = 1, to = 1, append = "", prepend = "" } = edit;
  switch (form[0]) {
    case "old":
      return replaceOnce(current, { old: normal(old), replacement: normal(replacement), at });
    case "line":
      return insertAt(current, { line, insert: normal(insert), at });
    case "from":
      return deleteLines(current, { from, to, at });
    case "append":
      return current + normal(append);
    default:
      return normal(prepend) + current;
  }
}

function replaceOnce(
  current: string,
  { old, replacement, at }: { old: string; replacement: string; at: number },
): string {
  const first = current.indexOf(old);
  if (first < 0) throw new ToolError("invalid_input", `edits[${at}].old: not in the file`, nearestLine(current, old));
  const places = [first];
  for (
    let next = current.indexOf(old, first + 1);
    next >= 0 && places.length < 10;
    next = current.indexOf(old, next + 1)
  ) {
    places.push(next);
  }
  if (places.length > 1) {
    const lines = places.map((place) => lineOf(current, place)).join(", ");
    throw new ToolError(
      "invalid_input",
      `edits[${at}].old: occurs ${places.length} times, at lines ${lines}`,
      "Add the lines around it, so that it occurs once.",
    );
  }
  return current.slice(0, first) + replacement + current.slice(first + old.length);
}

function insertAt(current: string, { line, insert, at }: { line: number; insert: string; at: number }): string {
  const lines = splitLines(current);
  if (line > lines.length + 1) {
    throw new ToolError("invalid_input", `edits[${at}].line: expected at most ${lines.length + 1}, received ${line}`);
  }
  const before = lines.slice(0, line - 1).join("");
  const gap = before !== "" && !before.endsWith("\n") ? "\n" : "";
  const end = insert.endsWith("\n") || insert === "" ? "" : "\n";
  return before + gap + insert + end + lines.slice(line - 1).join("");
}

function deleteLines(current: string, { from, to, at }: { from: number; to: number; at: number }): string {
  const lines = splitLines(current);
  if (to < from)
    throw new ToolError("invalid_input", `edits[${at}].to: expected at least from (${from}), received ${to}`);
  if (to > lines.length) {
    throw new ToolError("invalid_input", `edits[${at}].to: expected at most ${lines.length}, received ${to}`);
  }
  return [...lines.slice(0, from - 1), ...lines.slice(to)].join("");
}

function splitLines(value: string): readonly string[] {
  return value.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lineOf(value: string, index: number): number {
  return value.slice(0, index).split("\n").length;
}

const mostCompared = 20_000;

/** Where the text may have been meant: a line equal but for white space, or the one spelt most alike. */
function nearestLine(current: string, old: string): string | undefined {
  const wanted =
    old
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line !== "") ?? "";
  const lines = current.split("\n").slice(0, mostCompared);
  const same = lines.findIndex((line) => line.trim() === wanted);
  if (same >= 0) return `Line ${same + 1} differs only in white space or in what follows: ${quote(lines[same])}`;
  const near = closest(
    wanted,
    lines.map((line) => line.trim()).filter((line) => line !== ""),
  );
  const at = lines.findIndex((line) => near !== undefined && line.trim() === near);
  return at < 0
    ? "Read the file again; nothing in it is like this text."
    : `Nearest is line ${at + 1}: ${quote(lines[at])}`;
}

function quote(line: string | undefined): string {
  return JSON.stringify((line ?? "").slice(0, 200));
}
