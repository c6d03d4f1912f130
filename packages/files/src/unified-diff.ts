import { splitLines, quoteName } from "@toolpacks/core";
import { structuredPatch, type StructuredPatchHunk } from "diff";

/** Limits of a line diff, whose time is quadratic in the number of different lines. Beyond a limit, the lines are shown as replaced whole. */
const limits = { maxEditLength: 1_000, timeout: 500 };

interface DiffFormat {
  /** Number of unchanged lines around a change. */
  readonly context: number;
  /** Maximum length of a diff. A longer diff is cut, and says so. */
  readonly maxCharacters: number;
  /** Maximum length of a shown line. */
  readonly maxLine: number;
  readonly cutNote: string;
}

/** The diff of a dry run, which `git apply` accepts. */
const wholeDiff: DiffFormat = {
  context: 3,
  maxCharacters: 100_000,
  maxLine: Number.POSITIVE_INFINITY,
  cutNote: "(the diff is longer; edit less at once to see all of it)",
};

/** The diff of written edits. */
const briefDiff: DiffFormat = {
  context: 1,
  maxCharacters: 2_000,
  maxLine: 300,
  cutNote: "(more lines changed; fs_read shows them)",
};

/** The changed lines between two texts. */
export interface TextDiff {
  /** Numbers of lines. */
  readonly added: number;
  readonly removed: number;
  /** A unified diff. */
  readonly diff: string;
}

/** A unified diff, which names the file. */
export function unifiedDiff(path: string, original: string, edited: string): TextDiff {
  const name = quoteName(path);
  const { diff, ...counts } = diffOf(original, edited, wholeDiff);
  return { ...counts, diff: [`--- ${name}`, `+++ ${name}`, diff].join("\n") };
}

/** The hunks of a short unified diff. */
export function briefHunks(original: string, edited: string): TextDiff {
  return diffOf(original, edited, briefDiff);
}

function diffOf(original: string, edited: string, format: DiffFormat): TextDiff {
  const { context } = format;
  const patch = structuredPatch("", "", original, edited, "", "", { context, ...limits });
  const hunks = patch?.hunks ?? [replacingHunk(original, edited, context)];
  const count = (mark: string) => hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith(mark))).length;
  return { added: count("+"), removed: count("-"), diff: renderHunks(hunks, format).join("\n") };
}

/** A hunk that replaces all lines from the first change to the last one. */
function replacingHunk(original: string, edited: string, context: number): StructuredPatchHunk {
  const [before, after] = [splitLines(original), splitLines(edited)];
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const start = Math.max(0, head - context);
  const end = before.length - Math.max(0, tail - context);
  const lines = [
    ...marked(" ", before.slice(start, head)),
    ...marked("-", before.slice(head, before.length - tail)),
    ...marked("+", after.slice(head, after.length - tail)),
    ...marked(" ", before.slice(before.length - tail, end)),
  ];
  const newLines = end - start + after.length - before.length;
  return { oldStart: start + 1, oldLines: end - start, newStart: start + 1, newLines, lines };
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"],
  );
}

/** The lines of all hunks, and an empty line as their end, or the note that they are cut. */
function renderHunks(hunks: readonly StructuredPatchHunk[], format: DiffFormat): readonly string[] {
  const output: string[] = [];
  let characters = 0;
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    for (const line of [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines]) {
      const shown = line.length > format.maxLine ? `${line.slice(0, format.maxLine)}…` : line;
      characters += shown.length;
      if (characters > format.maxCharacters) return [...output, format.cutNote];
      output.push(shown);
    }
  }
  return [...output, ""];
}

/** Renders a hunk's range. An empty range has the number of the line before it, as in the diff format. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
