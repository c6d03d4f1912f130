import { describe, expect, test } from "vitest";
import { compileValue } from "./compile-value.ts";

const evaluate = async (source: unknown, input: object) => (await compileValue(source, "args"))({ input });

describe("an expression with unbounded cost", () => {
  const list = Array.from({ length: 250 }, (_, at) => String(at));
  const text = Buffer.alloc(8_000_000, "x").toString();
  const sought = `${"x".repeat(20_000)}y${"x".repeat(20_000)}`;
  const bytes = "bytes(input.text)";
  test.each([
    ["input.text.split('')", "list of more than 1000000 items"],
    ["input.list.join(input.text)", "text of more than 16777216 characters"],
    ["size(input.list.join(input.text))", "text of more than 16777216 characters"],
    ["size(input.text + input.text + input.text)", "text of more than 16777216 characters"],
    [`size(${bytes} + ${bytes} + ${bytes})`, "text of more than 16777216 characters"],
    [`${bytes}.hex()`, "no matching overload"],
    [`${bytes}.base64()`, "no matching overload"],
    [`${bytes}.json()`, "no matching overload"],
    ["'x'.matches(input.text)", "at most 1000 characters"],
    ["input.text.contains(input.sought)", "too long to be searched for"],
    ["input.text.indexOf(input.sought)", "too long to be searched for"],
    ["input.text.indexOf('x', 1)", "no matching overload"],
    ["input.text.lastIndexOf(input.sought)", "too long to be searched for"],
    ["input.text.lastIndexOf('x', 7000000)", "no matching overload"],
    ["input.text.split(input.sought)", "too long to be searched for"],
    ["input.text.split('x', 2)", "no matching overload"],
  ])("%s is refused", async (expression, problem) => {
    const started = performance.now();
    const input = { text, sought, list };
    const error: unknown = await evaluate(`\${${expression}}`, input).catch((one: unknown) => one);
    expect(error).toMatchObject({ message: expect.stringContaining(problem) });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test("bounded functions work on usual texts", async () => {
  const expressions = {
    "input.text.split(',')": ["a", "b", "c"],
    "['a', 'b'].join()": "ab",
    "['a', 'b'].join('-')": "a-b",
    "input.text.contains('b')": true,
    "input.text.matches('^a.b')": true,
    "input.text.indexOf('b')": 2,
    "input.text.lastIndexOf(',')": 3,
    "input.text + input.text": "a,b,ca,b,c",
  };
  const sources = Object.keys(expressions).map((source) => `\${${source}}`);
  expect(await evaluate(sources, { text: "a,b,c" })).toEqual(Object.values(expressions));
  expect(await evaluate("${size(input.text)}", { text: Buffer.alloc(16_000_000, "x").toString() })).toBe(16_000_000);
  const wrong: unknown = await evaluate("${[1].join('-')}", {}).catch((one: unknown) => one);
  expect((wrong as Error).message).not.toContain("bounded_");
});
