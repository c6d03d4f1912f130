import { setImmediate } from "node:timers/promises";
import { closest, detail, ToolError } from "@toolpacks/core";
import { z } from "zod";
import { maxEditedBytes } from "./text-file.ts";
import { contentField, contentText } from "./rows.ts";

const text = z.string().max(1_000_000);
const lineNumber = z.int().min(1);

/** One change to a text, in exactly one of six forms. */
export const editSchema = z.strictObject({
  old: text.min(1).optional().describe("exact text, once in the file"),
  new: text.optional().describe("in its place"),
  all: z.boolean().optional().meta(detail("every occurrence of old")),
  line: lineNumber.optional().describe("insert before this line"),
  insert: text.optional().meta(detail("text to insert")),
  from: lineNumber.optional().describe("first line to delete"),
  to: lineNumber.optional().describe("last line to delete"),
  append: contentField.optional().describe("text or rows for the end"),
  prepend: text.optional().describe("text for the start"),
});

export type Edit = z.output<typeof editSchema>;

const forms = [
  ["old", "new", "all"],
  ["old", "new"],
  ["line", "insert"],
  ["from", "to"],
  ["append"],
  ["prepend"],
] as const;
const accepted = "{old, new}, {line, insert}, {from, to}, {append} or {prepend}";

/** A text before and after edits. CRLF is replaced by `\n` if every line ends in CRLF. */
export interface AppliedEdits {
  readonly original: string;
  readonly edited: string;
}

/** A range of the current text, in UTF-16 units, and the text that replaces it. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface ApplyOptions {
  /** The line end of the file. Edits may use `\n` for it. */
  readonly lineEnd: "\n" | "\r\n";
  /** The file's name. It decides the format of appended rows. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Applies edits in order, each to the result of the previous one.
 *
 * @throws ToolError `invalid_input` with the edit's index, and the lines that match or the nearest line
 */
export async function applyEdits(
  text: string,
  edits: readonly Edit[],
  { lineEnd, name, signal }: ApplyOptions,
): Promise<AppliedEdits> {
  const normal = (value: string) => (lineEnd === "\r\n" ? value.replaceAll("\r\n", "\n") : value);
  const original = normal(text);
  let edited = original;
  for (const [at, edit] of edits.entries()) {
    const { start, end, text: replacement } = locate(edited, edit, { at, name, normal });
    edited = edited.slice(0, start) + replacement + edited.slice(end);
    // Hundreds of edits of a large file take seconds, so other work runs in between.
    await setImmediate();
    signal.throwIfAborted();
  }
  return { original, edited };
}

/** Finds the range that an edit replaces, and its new text. */
function locate(
  current: string,
  edit: Edit,
  { at, name, normal }: { at: number; name: string; normal: (value: string) => string },
): Replacement {
  const received = Object.entries(edit).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const form = forms.find(
    (fields) => fields.length === received.length && fields.every((field) => received.includes(field)),
  );
  if (form === undefined) {
    throw new ToolError("invalid_input", `edits[${at}]: expected ${accepted}, received {${received.join(", ")}}`);
  }
  const { old = "", new: replacement = "", line = 1, insert = "", from = 1, to = 1, append = "", prepend = "" } = edit;
  switch (form[0]) {
    case "old":
      if (edit.all === true) return replaceAll(current, normal(old), { at, text: normal(replacement) });
      return { ...locateOnce(current, normal(old), at), text: normal(replacement) };
    case "line":
      return locateLine(current, { line, insert: normal(insert), at });
    case "from":
      return locateLines(current, { from, to, at });
    case "append":
      return { start: current.length, end: current.length, text: normal(appended(current, append, name)) };
    default:
      return { start: 0, end: 0, text: normal(prepend) };
  }
}

/** Renders appended content. Rows begin on a new line. A file that ends with a line break still does afterwards. */
function appended(current: string, append: string | readonly unknown[], name: string): string {
  if (typeof append === "string") return current.endsWith("\n") && !append.endsWith("\n") ? `${append}\n` : append;
  return (current === "" || current.endsWith("\n") ? "" : "\n") + contentText(append, { path: name });
}

function replaceAll(current: string, old: string, { at, text }: { at: number; text: string }): Replacement {
  const parts = current.split(old);
  if (parts.length === 1) throw missing(current, old, at);
  const growth = Buffer.byteLength(text) - Buffer.byteLength(old);
  if (Buffer.byteLength(current) + (parts.length - 1) * growth > maxEditedBytes)
    throw new ToolError(
      "too_large",
      `edits[${at}].new: with every occurrence replaced, the file has over ${maxEditedBytes} bytes`,
    );
  return { start: 0, end: current.length, text: parts.join(text) };
}

function locateOnce(current: string, old: string, at: number): Omit<Replacement, "text"> {
  const first = current.indexOf(old);
  if (first < 0) throw missing(current, old, at);
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
      "Add the lines around it, so that it occurs once, or all: true.",
    );
  }
  return { start: first, end: first + old.length };
}

function missing(current: string, old: string, at: number): ToolError {
  return new ToolError("invalid_input", `edits[${at}].old: not in the file`, nearestLine(current, old));
}

function locateLine(current: string, { line, insert, at }: { line: number; insert: string; at: number }): Replacement {
  const found = startOfLine(current, line);
  if (found.start === undefined) {
    throw new ToolError("invalid_input", `edits[${at}].line: expected at most ${found.lines + 1}, received ${line}`);
  }
  const { start } = found;
  const gap = start > 0 && current[start - 1] !== "\n" ? "\n" : "";
  const end = insert.endsWith("\n") || insert === "" ? "" : "\n";
  return { start, end: start, text: gap + insert + end };
}

function locateLines(current: string, { from, to, at }: { from: number; to: number; at: number }): Replacement {
  if (to < from)
    throw new ToolError("invalid_input", `edits[${at}].to: expected at least from (${from}), received ${to}`);
  const [first, next] = [startOfLine(current, from), startOfLine(current, to + 1)];
  if (first.start === undefined || next.start === undefined) {
    throw new ToolError("invalid_input", `edits[${at}].to: expected at most ${next.lines}, received ${to}`);
  }
  return { start: first.start, end: next.start, text: "" };
}

/** Finds the index at which a line (from 1) begins, and counts the lines before it. The line after the last one begins at the end of the text. */
function startOfLine(text: string, line: number): { readonly start: number | undefined; readonly lines: number } {
  let start = 0;
  let lines = 0;
  while (lines < line - 1 && start < text.length) {
    const end = text.indexOf("\n", start);
    start = end < 0 ? text.length : end + 1;
    lines += 1;
  }
  return { start: lines === line - 1 ? start : undefined, lines };
}

function lineOf(value: string, index: number): number {
  return value.slice(0, index).split("\n").length;
}

const maxCompared = 20_000;
const maxComparedCharacters = 200;

/** A hint with the nearest line: one that differs only in white space, or the one with the most similar spelling. */
function nearestLine(current: string, old: string): string | undefined {
  const wanted =
    old
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line !== "")
      ?.slice(0, maxComparedCharacters) ?? "";
  const lines = current
    .split("\n")
    .slice(0, maxCompared)
    .map((line) => line.slice(0, maxComparedCharacters));
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
