import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { foreignSchema } from "./foreign-schema.ts";

async function check(schema: object, value: unknown) {
  return foreignSchema({ ...schema }).check(value);
}

/** A small generator of numbers, so that a failing case can be run again by its seed. */
function random(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { int, pick: <T>(all: readonly T[]): T => all[int(all.length)] as T };
}

type Random = ReturnType<typeof random>;

const names = ["a", "b", "ab", "c"];
const scalars = [null, true, false, 0, 1, 2, 3, 1.5, "", "a", "ab", "abc", "é"];

function anyValue({ int, pick }: Random, depth = 0): unknown {
  const source = { int, pick };
  const kind = depth > 2 ? 0 : int(4);
  if (kind === 1) return Array.from({ length: int(4) }, () => anyValue(source, depth + 1));
  if (kind >= 2)
    return Object.fromEntries(names.filter(() => int(2) === 0).map((name) => [name, anyValue(source, depth + 1)]));
  return pick(scalars);
}

/** @param isWhole whether the schema has keywords that are not checked, too */
function anySchema(source: Random, isWhole: boolean, depth = 0): unknown {
  const { int, pick } = source;
  if (int(12) === 0) return int(3) > 0;
  const inner = () => anySchema(source, isWhole, depth + 1);
  const some = () => Array.from({ length: 1 + int(3) }, inner);
  const named = () => Object.fromEntries(names.filter(() => int(2) === 0).map((name) => [name, inner()]));
  const leaves: readonly (() => object)[] = [
    () => ({ type: pick(["string", "integer", "number", "object", "array", "boolean", "null"]) }),
    () => ({ type: ["string", pick(["object", "array", "integer"])] }),
    () => ({ enum: [pick(scalars), pick(scalars)] }),
    () => ({ minimum: int(3), exclusiveMaximum: 1 + int(3) }),
    () => ({ minLength: int(3), maxLength: 1 + int(3) }),
    () => ({ pattern: pick(["^a", "b$", "^[ab]+$", "é"]) }),
    () => ({ minItems: int(2), maxItems: 1 + int(3) }),
    () => ({ minProperties: int(2), maxProperties: 1 + int(3) }),
    () => ({ required: names.filter(() => int(3) === 0) }),
    () => ({ $ref: "#/$defs/shared" }),
  ];
  const branches: readonly (() => object)[] = [
    () => ({ properties: named() }),
    () => ({ properties: named(), additionalProperties: inner() }),
    () => ({ items: inner() }),
    () => ({ prefixItems: some(), items: inner() }),
    () => ({ allOf: some() }),
    () => ({ anyOf: some() }),
  ];
  const unchecked: readonly (() => object)[] = [
    () => ({ enum: [anyValue(source, 2)] }),
    () => ({ const: pick(scalars) }),
    () => ({ multipleOf: pick([1, 0.5, 2]) }),
    () => ({ uniqueItems: true }),
    () => ({ dependentRequired: { a: ["b"] } }),
    () => ({ properties: named(), patternProperties: { "^a": inner() }, additionalProperties: false }),
    () => ({ propertyNames: inner() }),
    () => ({ contains: inner(), minContains: int(2) }),
    () => ({ oneOf: some() }),
    () => ({ not: inner() }),
    () => Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, inner()])),
    () => ({ properties: named(), anyOf: some(), unevaluatedProperties: inner() }),
  ];
  const kinds = depth > 2 ? leaves : [...leaves, ...branches, ...branches, ...(isWhole ? unchecked : [])];
  return Object.assign({}, ...Array.from({ length: 1 + int(2) }, () => pick(kinds)())) as object;
}

describe("check", () => {
  test.each([
    ["accepts the same values as another validator", false],
    ["accepts each value that another validator accepts, also where it does not check a keyword", true],
  ])("%s", async (_, isWhole) => {
    let admitted = 0;
    for (let seed = 0; seed < 700; seed += 1) {
      const source = random(seed);
      const shared = source.pick([
        { type: "string" },
        { required: ["a"] },
        { minimum: 1 },
        { items: { type: "object" } },
      ]);
      const schema = { $defs: { shared }, ...Object(anySchema(source, isWhole)) } as object;
      const reference = new Validator(schema, "2020-12");
      for (let tries = 0; tries < 8; tries += 1) {
        // A null of an optional field would be removed.
        const value = JSON.parse(JSON.stringify(anyValue(source)).replaceAll("null", "false")) as unknown;
        const { valid } = reference.validate(value);
        const { ok } = await check(schema, value);
        if (!isWhole || valid) expect(ok, JSON.stringify({ seed, schema, value })).toBe(valid);
        if (valid) admitted += 1;
      }
    }
    expect(admitted).toBeGreaterThan(1_000);
  });

  test.each<[object, unknown, string]>([
    [{ required: ["path"], properties: { path: { type: "string" } } }, {}, "path: required, expected string"],
    [
      { properties: { path: {} }, additionalProperties: false },
      { pth: 1 },
      "pth: unknown field, did you mean path? (accepted: path)",
    ],
    [
      { properties: { all: { items: { type: "integer" } } } },
      { all: [1, "x"] },
      "all[1]: expected integer, received string",
    ],
    [{ properties: { sort: { enum: ["up", "down"] } } }, { sort: "left" }, 'sort: expected one of "up", "down"'],
    [
      { properties: { to: { anyOf: [{ type: "string" }, { type: "object", required: ["id"] }] } } },
      { to: 5 },
      "to: expected string, received number, or expected object, received number",
    ],
  ])("%j with %j says %s", async (schema, value, message) => {
    expect(await check(schema, value)).toEqual({ ok: false, message });
  });

  test("checks what is known of a value with parts that are not", async () => {
    const item = { type: "object", required: ["id"], properties: { id: { type: "integer" }, of: { type: "object" } } };
    const schema = foreignSchema({ properties: { all: { type: "array", items: item } }, additionalProperties: false });
    const pending = [["all", "0", "id"], ["other"]];
    expect(await schema.check({ all: [{ id: "?", of: {} }] }, pending)).toMatchObject({ ok: true });
    const refused = await schema.check({ all: [{ id: "?", of: 5 }, {}], other: "?" }, pending);
    expect(refused.ok ? "" : refused.message).toBe(
      "all[0].of: expected object, received number; all[1].id: required, expected integer; other: unknown field (accepted: all)",
    );
  });

  test("checks no reference to another document or an anchor", async () => {
    const schema = { properties: { far: { $ref: "https://a.example/elsewhere.json" }, near: { $ref: "#anchor" } } };
    expect(await check(schema, { far: 5, near: 5 })).toMatchObject({ ok: true });
  });
});

describe("a hostile schema", () => {
  const text = `${"a".repeat(50_000)}!`;

  test.each<[string, object, unknown]>([["pattern", { properties: { text: { pattern: "^(a+)+$" } } }, { text }]])(
    "costs no more than linear time: %s",
    async (_, schema, value) => {
      const started = performance.now();
      await check(schema, value);
      expect(performance.now() - started).toBeLessThan(2_000);
    },
  );

  test("still checks its patterns", async () => {
    expect(await check({ properties: { text: { pattern: "^(a+)+$" } } }, { text: "aaa!" })).toMatchObject({
      ok: false,
    });
  });

  test("that measures a long text many times is given up with an error", async () => {
    const value = "x".repeat(2_000_000);
    const schema = { allOf: Array.from({ length: 2_900 }, (_, at) => ({ minLength: 1_900_000 + at })) };
    expect(await check(schema, value)).toMatchObject({ ok: false, message: expect.stringContaining("too large") });
  });

  test("that compares a value with many large constants ends in time", async () => {
    const values = Array.from({ length: 14_000 }, (_, at) => `${"k".repeat(20)}${at}`);
    const allOf = Array.from({ length: 1_300 }, () => ({ items: { $ref: "#/$defs/c" } }));
    const start = performance.now();
    expect(await check({ $defs: { c: { enum: values } }, allOf }, [values[13_999], values[13_999]])).toMatchObject({
      ok: false,
    });
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test("with nested messages keeps them short", async () => {
    const levels = Array.from({ length: 40 }, (_, at): [string, object][] => {
      const [a, b] = [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/b${at + 1}` }];
      return [
        [`a${at}`, { anyOf: [a, b] }],
        [`b${at}`, { anyOf: [b, a] }],
      ];
    }).flat();
    const last = { a40: { type: "null" }, b40: { type: "array" } };
    const result = await check({ $defs: { ...Object.fromEntries(levels), ...last }, $ref: "#/$defs/a0" }, 5);
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining("expected null") });
  });

  test("compiles a bounded number of its patterns", async () => {
    const many = Array.from({ length: 8_000 }, (_, at) => ({ pattern: `(\\pL{31}){31}${at}` }));
    const before = process.memoryUsage().heapUsed;
    expect(await check({ anyOf: many }, "x")).toMatchObject({ ok: true });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
  });

  test("with a pattern that RE2 does not support does not check that text", async () => {
    const schema = { properties: { text: { type: "string", pattern: "^(?!x).*$" } } };
    expect(await check(schema, { text: "x" })).toMatchObject({ ok: true });
    expect(await check(schema, { text: 5 })).toMatchObject({ ok: false });
  });

  /** `deep` levels of one field inside another. */
  const nested = (deep: number) => {
    let value: unknown = 0;
    for (let level = 0; level < deep; level += 1) value = { inner: value };
    return value;
  };

  test("whose forms double with every level is evaluated once at each level", async () => {
    const again = { properties: { inner: { $ref: "#" } } };
    const schema = { anyOf: [{ ...again, required: ["a"] }, { ...again, required: ["b"] }, again] };
    expect(await check(schema, nested(40))).toMatchObject({ ok: true });
  });

  test("that refers to itself is evaluated in finite time", async () => {
    expect(await check({ $ref: "#" }, {})).toMatchObject({ ok: true });
    expect(await check({ allOf: [{ $ref: "#" }, { $ref: "#" }] }, {})).toMatchObject({ ok: true });
  });

  test.each<[string, object, unknown]>([
    ["levels", { properties: { inner: { $ref: "#" } } }, nested(5_000)],
    [
      "steps",
      { items: { allOf: Array.from({ length: 1_000 }, () => ({ minimum: 0 })) } },
      Array.from({ length: 9_999 }, () => 1),
    ],
  ])("that takes too many %s is given up with an error", async (_, schema, value) => {
    expect(await check(schema, value)).toEqual({
      ok: false,
      message: "args: too large or too deep to check against the tool's schema; send less",
    });
  });
});
