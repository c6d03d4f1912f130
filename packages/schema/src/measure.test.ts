import { describe, expect, test } from "vitest";
import { exceededMessage, measure } from "./measure.ts";

const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;

describe("measure", () => {
  test.each([
    ["a scalar", 12, { values: 1, characters: 8 }],
    ["a text", "abc", { values: 1, characters: 5 }],
    ["an object", { a: "b", list: [1, null, true] }, { values: 6, characters: 39 }],
    ["an absent value", undefined, { values: 1, characters: 4 }],
  ])("counts the values and characters of %s", (_, value, size) => {
    expect(measure(value, {})).toEqual(size);
  });

  test.each([3, 300_000])("finds the depth of %i levels", (levels) => {
    expect(measure(nested(levels), { maxDepth: levels }).exceeded).toBeUndefined();
    expect(measure(nested(levels), { maxDepth: levels - 1 }).exceeded).toBe("maxDepth");
    expect(measure("text", { maxDepth: 0 }).exceeded).toBeUndefined();
  });

  test("counts up to the first bound only, also where a small value stands for many", () => {
    let value: unknown = "x".repeat(1_000);
    for (let level = 0; level < 100; level += 1) value = Array.from({ length: 1_000 }, () => value);
    expect(measure(value, { maxCharacters: 5_000_000 })).toMatchObject({ exceeded: "maxCharacters" });
    expect(measure(value, { maxValues: 10_000 })).toMatchObject({ exceeded: "maxValues" });
    expect(measure("x".repeat(100), { maxCharacters: 50 })).toMatchObject({ exceeded: "maxCharacters" });
  });

  test("an exceeded bound is described with its limit", () => {
    const bounds = { maxDepth: 256, maxValues: 1_000_000, maxCharacters: 4_000 };
    expect((["maxDepth", "maxValues", "maxCharacters"] as const).map((one) => exceededMessage(one, bounds))).toEqual([
      "nested more than 256 levels deep",
      "made of more than 1,000,000 values",
      "longer than 4,000 characters of JSON",
    ]);
  });
});
