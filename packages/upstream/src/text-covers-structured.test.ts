import { expect, test } from "vitest";
import { textCoversStructured } from "./text-covers-structured.ts";

const rows = Array.from({ length: 100_000 }, (_, at) => `row number ${(at * 7_919) % 100_003} of many`);

function seconds(work: () => void): number {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1_000;
}

test("textCoversStructured finds large values in one pass if they are in order", () => {
  const content = [{ type: "text", text: JSON.stringify(rows) }];
  expect(seconds(() => expect(textCoversStructured({ rows }, content)).toBe(true))).toBeLessThan(1);
  expect(textCoversStructured({ rows: [...rows, "one more"] }, content)).toBe(false);
});

test("textCoversStructured gives up on large values in another order", () => {
  const content = [{ type: "text", text: [...rows].reverse().join("\n") }];
  expect(seconds(() => expect(textCoversStructured({ rows }, content)).toBe(false))).toBeLessThan(1);
});

test.each([
  ["a long part that matches almost everywhere", "a".repeat(2_000_000), `${"a".repeat(20)}b${"a".repeat(1_000_000)}`],
  ["a long part that differs at its end", "a".repeat(2_000_000), `${"a".repeat(1_000_000)}b`],
])("textCoversStructured gives up on %s", (_, text, part) => {
  expect(seconds(() => expect(textCoversStructured({ part }, [{ type: "text", text }])).toBe(false))).toBeLessThan(2);
});
