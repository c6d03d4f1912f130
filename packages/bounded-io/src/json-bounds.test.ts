import { describe, expect, test } from "vitest";
import { createBoundScan, exceededBound, type JsonBounds } from "./json-bounds.ts";

const bounds: JsonBounds = { maxDepth: 3, maxValues: 10, maxFields: 4 };
const long = "x".repeat(50);

/** The bound that a text exceeds, however it is cut into chunks. */
function scanned(text: string, isEventStream = false) {
  const bytes = Buffer.from(text);
  const found = [1, 2, 3, 7, bytes.length].map((size) => {
    const scan = createBoundScan(bounds, isEventStream);
    for (let at = 0; at < bytes.length; at += size) {
      const bound = scan(bytes.subarray(at, at + size));
      if (bound !== undefined) return bound;
    }
    return undefined;
  });
  expect(new Set(found).size).toBe(1);
  return found[0];
}

describe("createBoundScan", () => {
  test.each([
    ["[[[1]]]", undefined],
    ["[[[[1]]]]", "maxDepth"],
    [`[${"1,".repeat(9)}1]`, undefined],
    [`[${"1,".repeat(10)}1]`, "maxValues"],
    [String.raw`{"a":1,"b":"::::\"::","c":{"d":"::"}}`, undefined],
    [String.raw`{"a":1,"b":{"c":2},"d":[{"e":3}]}`, "maxFields"],
    [`{"a":"[[[[,,,,,,,,,,,,${long}"}`, undefined],
    [String.raw`{"a":"\"[[[[\\\"[[[[ \\","b":[[1]]}`, undefined],
    [String.raw`{"a":"\\","b":[[[[1]]]]}`, "maxDepth"],
    ['{\r\n  "a": [\r\n    [1]\r\n  ]\r\n}', undefined],
    ['"no end\n[[[[', "maxDepth"],
    ['"no end\\\r"[[[["', undefined],
    ["]]]][[[[", "maxDepth"],
  ])("finds in %s the bound %s", (text, bound) => {
    expect(scanned(text)).toBe(bound);
    expect(exceededBound(Buffer.from(text), bounds)).toBe(bound);
  });

  test.each([
    ["data: [[[1]]]\n\ndata: [[[1]]]\n\n", undefined],
    ["data: [[[\r\ndata: [1]]]]\r\n\r\n", "maxDepth"],
    ["data: [[[\r\n\r\ndata: [[[\r\n\r\n", undefined],
    [": ]]]]\ndata: [[[1]]]\n\n", undefined],
    ["data: [[[\n: ]]]\ndata: [\n\n", "maxDepth"],
    [': "\ndata: [[[[\n\n', "maxDepth"],
    ['data: ["[[[["]\ndatb: "[[[["\n\n', "maxDepth"],
  ])("finds in the event stream %j the bound %s", (text, bound) => {
    expect(scanned(text, true)).toBe(bound);
  });

  test("takes linear time for a text of escapes and line breaks", () => {
    const started = performance.now();
    for (const text of [String.raw`"\"\\\""`, "\\", "\r", '"\r"\n']) {
      exceededBound(Buffer.from(`"${text.repeat(4_000_000 / text.length)}`));
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
