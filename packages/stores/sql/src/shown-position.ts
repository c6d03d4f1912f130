/**
 * The position after a page of a text query. Ranks depend on all stored records, so every write changes them a little, and a rank is not a stable
 * position. Therefore a cursor lists the records that were shown by rank. The records after them are sorted by age.
 */
import { ToolError } from "@toolpacks/core";
import { maxRanked } from "./candidate-words.ts";

export interface ShownPosition {
  /** The ages of the records that were shown by rank. */
  readonly shown: readonly number[];
  /** The age of the last record that was shown by age. Undefined: none was. */
  readonly after: number | undefined;
}

/** Whether the next page has no records by rank. */
export function isBeyondRanked({ shown, after }: ShownPosition): boolean {
  return after !== undefined || shown.length >= maxRanked;
}

/** Encodes a position: the differences between the sorted ages, which are short numbers, and the last age as a negative number. */
export function encodeShown({ shown, after }: ShownPosition): readonly number[] {
  const sorted = shown.toSorted((a, b) => a - b);
  const steps = sorted.map((age, at) => age - (sorted[at - 1] ?? 0));
  return after === undefined ? steps : [...steps, -after];
}

/** Decodes the position after an earlier page. @throws ToolError `invalid_input` when it is invalid */
export function decodeShown(value: unknown): ShownPosition {
  if (value === undefined) return { shown: [], after: undefined };
  if (
    !Array.isArray(value) ||
    value.length === 0 ||
    value.length > 2 * 1_000 ||
    !value.every((one) => Number.isSafeInteger(one))
  ) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  const steps = value as readonly number[];
  const last = steps.at(-1) ?? 0;
  const shown: number[] = [];
  for (const step of last < 0 ? steps.slice(0, -1) : steps) shown.push((shown.at(-1) ?? 0) + step);
  return { shown, after: last < 0 ? -last : undefined };
}

/** The position after a row of a page that has records by rank, then by age. */
export function shownUpTo(
  before: ShownPosition,
  page: { readonly ranked: readonly number[]; readonly byAge: readonly number[] },
  at: number,
): ShownPosition {
  const shown = [...before.shown, ...page.ranked.slice(0, at + 1)];
  return { shown, after: at < page.ranked.length ? before.after : page.byAge[at - page.ranked.length] };
}
