import { expect, test } from "vitest";
import { decodeShown, encodeShown, isBeyondRanked, shownUpTo } from "./shown-position.ts";

test("a position is the same after it was encoded", () => {
  for (const position of [
    { shown: [3, 9, 10], after: undefined },
    { shown: [3], after: 7 },
    { shown: [], after: 7 },
  ])
    expect(decodeShown(encodeShown(position))).toEqual(position);
  expect(encodeShown({ shown: [10, 3, 9], after: undefined })).toEqual([3, 6, 1]);
});

test("the position after a row by age names all records by rank", () => {
  const page = { ranked: [8, 2], byAge: [1, 3] };
  const before = { shown: [5], after: undefined };
  expect(shownUpTo(before, page, 0)).toEqual({ shown: [5, 8], after: undefined });
  expect(shownUpTo(before, page, 3)).toEqual({ shown: [5, 8, 2], after: 3 });
  expect(isBeyondRanked(shownUpTo(before, page, 2))).toBe(true);
});

test.each([[[]], [["1"]], [[0.5]], [Array.from({ length: 2_001 }, () => 1)], ["x"]])("%j is no position", (value) => {
  expect(() => decodeShown(value)).toThrow("cursor");
});
