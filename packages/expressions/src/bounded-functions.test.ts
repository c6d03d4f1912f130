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
    [`size((${bytes} + ${bytes}).hex())`, "text of more than 16777216 characters"],
    [`size((${bytes} + ${bytes}).base64())`, "16777216 characters"],
    ["bytes('[' + input.list.map(x, input.commas).join(',') + ']').json()", "made of more than 1,000,000 values"],
    ["'x'.matches(input.text)", "at most 1000 characters"],
    ["input.text.contains(input.sought)", "too long to be searched for"],
    ["input.text.indexOf(input.sought)", "too long to be searched for"],
    ["input.text.indexOf(input.sought, 1)", "too long to be searched for"],
    ["input.text.lastIndexOf(input.sought)", "too long to be searched for"],
    ["input.text.lastIndexOf(input.sought, 7000000)", "too long to be searched for"],
    ["input.text.split(input.sought)", "too long to be searched for"],
    ["input.text.split(input.sought, 2)", "too long to be searched for"],
  ])("%s is refused", async (expression, problem) => {
    const started = performance.now();
    const input = { text, sought, list, commas: "0,".repeat(10_000) + "0" };
    const error: unknown = await evaluate(`\${${expression}}`, input).catch((one: unknown) => one);
    expect(error).toMatchObject({ message: expect.stringContaining(problem) });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test("bounded functions work on usual texts", async () => {
  const expressions = {
    "input.text.split(',')": ["a", "b", "c"],
    "input.text.split(',', 2)": ["a", "b,c"],
    "input.text.split(',', 0)": [],
    "['a', 'b'].join()": "ab",
    "['a', 'b'].join('-')": "a-b",
    "input.text.contains('b')": true,
    "input.text.matches('^a.b')": true,
    "input.text.indexOf('b')": 2,
    "input.text.indexOf(',', 2)": 3,
    "input.text.lastIndexOf(',')": 3,
    "input.text.lastIndexOf(',', 2)": 1,
    "input.text.indexOf('', 9)": 9,
    "bytes(input.text).hex()": "612c622c63",
    "bytes(input.text).base64()": "YSxiLGM=",
    "bytes('{\"a\": 1}').json().a": 1,
    "input.text + input.text": "a,b,ca,b,c",
  };
  const sources = Object.keys(expressions).map((source) => `\${${source}}`);
  expect(await evaluate(sources, { text: "a,b,c" })).toEqual(Object.values(expressions));
  expect(await evaluate("${size(input.text)}", { text: Buffer.alloc(16_000_000, "x").toString() })).toBe(16_000_000);
  const wrong: unknown = await evaluate("${[1].join('-')}", {}).catch((one: unknown) => one);
  expect((wrong as Error).message).not.toContain("bounded_");
});
