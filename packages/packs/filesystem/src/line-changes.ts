import { splitLines } from "@toolpacks/core";
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
