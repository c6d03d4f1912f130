import { splitLines } from "@toolpacks/core";
import { diffArrays } from "diff";
import type { ReplacedRange } from "./replaced-ranges.ts";

/** Removed lines of the original, and the lines that replace them. Lines include their ends. */
export interface LineChange {
  /** The index of the first line in the original, from 0. */
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Converts replaced ranges of a text to changed lines. The time is linear in the size of the ranges. */
export function lineChanges(original: string, ranges: readonly ReplacedRange[]): readonly LineChange[] {
  let at = 0;
  let counted = 0;
  return blocksOf(original, ranges).flatMap(({ start, end, text }) => {
    at += countLineEnds(original, counted, start);
    counted = start;
    return compareBlock(at, splitLines(original.slice(start, end)), splitLines(text));
  });
}

/** Extends ranges to whole lines, and joins ranges that share a line. */
function blocksOf(original: string, ranges: readonly ReplacedRange[]): readonly ReplacedRange[] {
  const blocks: ReplacedRange[] = [];
  for (const range of ranges) {
    const end = lineEnd(original, range.end);
    const tail = original.slice(range.end, end);
    const last = blocks.at(-1);
    if (last !== undefined && range.start < last.end) {
      const kept = last.text.slice(0, last.text.length - (last.end - range.start));
      blocks[blocks.length - 1] = { start: last.start, end, text: kept + range.text + tail };
    } else {
      const start = range.start === 0 ? 0 : original.lastIndexOf("\n", range.start - 1) + 1;
      blocks.push({ start, end, text: original.slice(start, range.start) + range.text + tail });
    }
  }
  return blocks;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Maximum number of different lines for a line diff, whose time is quadratic in it. Other blocks are shown as replaced whole. */
const maxDifferences = 100;

function compareBlock(at: number, before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  if (removed.length === 0 && added.length === 0) return [];
  const parts = diffArrays([...removed], [...added], { maxEditLength: maxDifferences });
  if (parts === undefined) return [{ at: at + head, removed, added }];
  let line = at + head;
  const changes: { at: number; removed: string[]; added: string[] }[] = [];
  for (const part of parts) {
    const last = changes.at(-1);
    const isNext = last !== undefined && last.at + last.removed.length === line;
    if (part.added) {
      if (isNext) last.added.push(...part.value);
      else changes.push({ at: line, removed: [], added: part.value });
    } else {
      if (part.removed && isNext) last.removed.push(...part.value);
      else if (part.removed) changes.push({ at: line, removed: part.value, added: [] });
      line += part.value.length;
    }
  }
  return changes;
}
