import { describe, expect, test } from "vitest";
import { z } from "zod";
import { foreignTool, goodPack, packOf, tool, toolTaking } from "../packs.fixture.ts";
import { budgetProblems } from "./budget.ts";
import { descriptionProblems } from "./descriptions.ts";
import { effectProblems } from "./effects.ts";
import { exampleProblems } from "./examples.ts";
import { nameProblems } from "./names.ts";
import { packProblems } from "./pack-problems.ts";
import { registrationProblems } from "./registration.ts";
import { inputLimitProblems, schemaProblems } from "./schemas.ts";

const described = (schema: z.ZodType) => schema.describe("a field");

test("packProblems finds nothing in a good pack", async () => {
  expect(await packProblems(goodPack().pack)).toEqual([]);
});

describe("nameProblems finds", () => {
  test.each([
    ["a name with other characters", [tool({ name: "box-look" })], "box-look: name: expected at most 64"],
    ["a name of 65 characters", [tool({ name: `box_${"a".repeat(61)}` })], "expected at most 64"],
    ["a name without a prefix", [tool({ name: "look" })], "look: name: expected a prefix"],
    ["two prefixes", [tool(), tool({ name: "crate_look" })], "expected one prefix for the pack, found box, crate"],
    ["an alias that is another tool's name", [tool(), tool({ name: "box_a", aliases: ["box_look"] })], "used twice"],
  ])("%s", (_what, tools, problem) => {
    expect(nameProblems(tools).join("\n")).toContain(problem);
  });

  test("only prefixes that the options do not name", () => {
    const tools = [tool(), tool({ name: "crate_look" })];
    expect(nameProblems(tools, ["box", "crate"])).toEqual([]);
    expect(nameProblems(tools, ["box"])).toEqual(["names: expected the prefixes box, found box, crate"]);
    expect(nameProblems(tools, ["box", "crate", "jar"])).toHaveLength(1);
  });
});

describe("descriptionProblems finds", () => {
  const found = (tools: Parameters<typeof descriptionProblems>[1], pack = goodPack().pack) =>
    descriptionProblems(pack, tools).join("\n");

  test("a tool without one", () => {
    expect(found([tool({ description: " " })])).toBe("box_look: description: missing");
  });

  test("a field without one, at any depth", () => {
    const edit = z.strictObject({ old: z.string().max(5) });
    const input = z.object({ id: z.string().max(5), edits: described(z.array(edit).max(3)) });
    expect(found([toolTaking(input)])).toBe(
      "box_look: id: description: missing\nbox_look: edits[].old: description: missing",
    );
  });

  test("more than 2 KB", () => {
    expect(found([tool({ description: "é".repeat(1025) })])).toBe("box_look: description: 2050 bytes, at most 2048");
  });

  test.each([
    ["a bidirectional override", "\u202E", "U+202E"],
    ["a zero-width space", "\u200B", "U+200B"],
    ["a tag character", "\u{E0041}", "U+E0041"],
    ["an escape", "\u001B[31m", "U+001B"],
    ["an unpaired surrogate", "\uD800", "U+D800"],
  ])("%s", (_what, character, name) => {
    expect(found([tool({ description: `Look.${character}` })])).toBe(`box_look: description: unprintable ${name}`);
    const input = z.object({ id: z.string().max(5).describe(`an id${character}`) });
    expect(found([toolTaking(input)])).toBe(`box_look: id: description: unprintable ${name}`);
    expect(found([tool({ keywords: [`see${character}`] })])).toBe(`box_look: keyword: unprintable ${name}`);
    const pack = packOf(() => [], { instructions: `Do.${character}` });
    expect(found([], pack)).toBe(`pack box: instructions: unprintable ${name}`);
  });
});

describe("schemaProblems finds", () => {
  test("a combinator at the root", () => {
    const json = () => ({ type: "object", anyOf: [{ required: ["a"] }] });
    expect(schemaProblems([tool({ input: { ...tool().input, json } })])).toEqual([
      "box_look: input: root: anyOf is not accepted by every provider",
    ]);
  });

  test("a root that is not an object", () => {
    expect(schemaProblems([tool({ input: { ...tool().input, json: () => ({ type: "array" }) } })])).toEqual([
      "box_look: input: root: expected type object",
    ]);
  });

  test("unneeded keywords in a schema", () => {
    const fat = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { n: { type: "integer", maximum: Number.MAX_SAFE_INTEGER, title: "n" } },
      additionalProperties: false,
    };
    expect(schemaProblems([tool({ input: { ...tool().input, json: () => fat } })])).toEqual([
      "box_look: input: root: $schema is not slim",
      "box_look: input: root: additionalProperties is not slim",
      "box_look: input: n: safe-integer bounds are not slim",
      "box_look: input: n: a title that repeats the name is not slim",
    ]);
  });

  test("a reference that leaves the schema", () => {
    const properties = { a: { $ref: "https://example.com/a.json" } };
    expect(schemaProblems([foreignTool({ type: "object", properties })])).toEqual([
      "box_look: input: a: $ref leaves the schema: https://example.com/a.json",
    ]);
  });
});

describe("inputLimitProblems finds", () => {
  test.each([
    ["a string without a maximum", described(z.string()), "field: a string without .max()"],
    ["a nullable string without one", described(z.string().nullable()), "field: a string without .max()"],
    ["a string of a long format", described(z.email()), "field: a string without .max()"],
    ["an array without one", described(z.array(z.int())), "field: an array without .max()"],
    ["a string in an array", described(z.array(z.string()).max(3)), "field[]: a string without .max()"],
    ["a string in a record", described(z.record(z.string(), z.string())), "field.*: a string without .max()"],
    ["a string in a union", described(z.union([z.int(), z.string()])), "field: a string without .max()"],
    [
      "a nested object that drops keys",
      described(z.object({ a: z.int() })),
      "field: an object that is not z.strictObject",
    ],
    ["a loose nested object", described(z.looseObject({ a: z.int() })), "field: an object that is not z.strictObject"],
  ])("%s", (_what, field, problem) => {
    expect(inputLimitProblems([toolTaking(z.object({ field }))])).toEqual([`box_look: ${problem}`]);
  });

  test("nothing in bounded fields", () => {
    const input = z.object({
      id: z.uuid(),
      state: z.enum(["open", "closed"]),
      pair: z.tuple([z.int(), z.literal("x")]),
      rows: z.array(z.strictObject({ text: z.string().max(10_000) })).max(5_000),
    });
    expect(inputLimitProblems([toolTaking(input)])).toEqual([]);
  });
});

describe("effectProblems finds", () => {
  test("a tool without mutates", () => {
    expect(effectProblems([tool({ mutates: undefined as never })])).toEqual([
      "box_look: mutates: expected true or false",
    ]);
  });

  test("an annotation that contradicts mutates", () => {
    expect(effectProblems([tool({ effects: { destructive: true } })])).toHaveLength(1);
  });
});

describe("exampleProblems finds", () => {
  test("a tool without an example", async () => {
    expect(await exampleProblems([tool({ examples: [] })], {})).toEqual([
      "box_look: examples: none; declare one, or give one to the contract",
    ]);
    expect(await exampleProblems([tool({ examples: [] })], { box_look: [{ item: "a" }] })).toEqual([]);
  });

  test("an example that the tool refuses, and an example of an unknown tool", async () => {
    const problems = await exampleProblems([tool({ examples: [{ args: { itme: "a" } }] })], { box_lok: [{}] });
    expect(problems.join("\n")).toContain("box_lok is not a tool of this pack");
    expect(problems.join("\n")).toContain("did you mean item?");
  });
});

test("budgetProblems finds a pack over its budget, and names the largest parts", async () => {
  const problems = await budgetProblems(packOf(() => [tool()], { budget: 20 }));
  expect(problems.join()).toMatch(/^pack box: budget: \d+ tokens, at most 20 \(dearest: box_look \d+\)$/);
});

test("registrationProblems finds schemas that are created for each server", async () => {
  const pack = packOf(() => [tool()]);
  const wasteful = {
    ...pack,
    registerWith: (...args: Parameters<typeof pack.registerWith>) => packOf(() => [tool()]).registerWith(...args),
  };
  expect(await registrationProblems(wasteful)).toEqual([expect.stringContaining("made its schemas anew")]);
  expect(await registrationProblems(pack)).toEqual([]);
});
