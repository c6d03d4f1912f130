import { splitLines, quoteName } from "@toolpacks/core";
import { diffArrays } from "diff";

/** Removed lines of the original, and the lines that replace them. Lines include their ends. */
export interface LineChange {
  /** The index of the first line in the original, from 0. */
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Limits of a line diff, whose time is quadratic in the number of different lines. Beyond a limit, the lines are shown as replaced whole. */
const limits = { maxEditLength: 1_000, timeout: 500 };

/** The changed lines between two texts. */
export function lineChanges(original: string, edited: string): readonly LineChange[] {
  const [before, after] = [splitLines(original), splitLines(edited)];
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  if (removed.length === 0 && added.length === 0) return [];
  const parts = diffArrays(removed, added, limits);
  if (parts === undefined) return [{ at: head, removed, added }];
  let line = head;
  const changes: { at: number; removed: string[]; added: string[] }[] = [];
  for (const part of parts) {
    if (part.added || part.removed) {
      const last = changes.at(-1);
      const isNext = last !== undefined && last.at + last.removed.length === line;
      const change = isNext ? last : { at: line, removed: [], added: [] };
      if (!isNext) changes.push(change);
      const side = part.added ? "added" : "removed";
      change[side] = change[side].concat(part.value);
    }
    if (!part.added) line += part.value.length;
  }
  return changes;
}

interface DiffFormat {
  /** Number of unchanged lines around a change. */
  readonly contextLines: number;
  /** Maximum length of a diff. A longer diff is cut, and says so. */
  readonly maxCharacters: number;
  /** Maximum length of a shown line. */
  readonly maxLine: number;
  readonly cutNote: string;
}

/** The diff of a dry run, which `git apply` accepts. */
const wholeDiff: DiffFormat = {
  contextLines: 3,
  maxCharacters: 100_000,
  maxLine: Number.POSITIVE_INFINITY,
  cutNote: "(the diff is longer; edit less at once to see all of it)",
};

/** The diff of written edits. */
const briefDiff: DiffFormat = {
  contextLines: 1,
  maxCharacters: 2_000,
  maxLine: 300,
  cutNote: "(more lines changed; fs_read shows them)",
};

/** Renders changes as a unified diff. */
export function unifiedDiff(path: string, original: string, changes: readonly LineChange[]): string {
  const name = quoteName(path);
  return [`--- ${name}`, `+++ ${name}`, ...hunkLines(original, changes, wholeDiff)].join("\n");
}

/** Renders changes as the hunks of a short unified diff. */
export function briefHunks(original: string, changes: readonly LineChange[]): string {
  return hunkLines(original, changes, briefDiff).join("\n");
}

/** The lines of all hunks, and an empty line as their end, or the note that they are cut. */
function hunkLines(original: string, changes: readonly LineChange[], format: DiffFormat): readonly string[] {
  const lines = splitLines(original);
  const output: string[] = [];
  let characters = 0;
  let shift = 0;
  for (const hunk of hunksOf(changes, format)) {
    for (const line of renderHunk(hunk, lines, { shift, ...format })) {
      const shown = line.length > format.maxLine ? `${line.slice(0, format.maxLine)}…` : line;
      characters += shown.length;
      if (characters > format.maxCharacters) return [...output, format.cutNote];
      output.push(shown);
    }
    for (const { removed, added } of hunk) shift += added.length - removed.length;
  }
  return [...output, ""];
}

/** Groups changes into hunks. Changes whose context lines touch are in one hunk. */
function hunksOf(changes: readonly LineChange[], { contextLines }: DiffFormat): readonly (readonly LineChange[])[] {
  const hunks: LineChange[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    if (change.at - end <= 2 * contextLines) hunks.at(-1)?.push(change);
    else hunks.push([change]);
    end = change.at + change.removed.length;
  }
  return hunks;
}

/** Yields the lines of a hunk, so that those after the limit are not rendered. */
function* renderHunk(
  hunk: readonly LineChange[],
  lines: readonly string[],
  { shift, contextLines }: DiffFormat & { readonly shift: number },
): Generator<string> {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return;
  const start = Math.max(0, first.at - contextLines);
  const end = Math.min(lines.length, last.at + last.removed.length + contextLines);
  const added = hunk.reduce((sum, change) => sum + change.added.length - change.removed.length, 0);
  yield `@@ -${range(start, end - start)} +${range(start + shift, end - start + added)} @@`;
  let at = start;
  for (const change of hunk) {
    yield* marked(" ", lines.slice(at, change.at));
    yield* marked("-", change.removed);
    yield* marked("+", change.added);
    at = change.at + change.removed.length;
  }
  yield* marked(" ", lines.slice(at, end));
}

/** Renders a hunk's range. An empty range has the number of the line before it, as in the diff format. */
function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

function* marked(mark: string, lines: readonly string[]): Generator<string> {
  for (const line of lines) {
    yield line.endsWith("\n") ? `${mark}${line.slice(0, -1)}` : `${mark}${line}\n\\ No newline at end of file`;
  }
}
