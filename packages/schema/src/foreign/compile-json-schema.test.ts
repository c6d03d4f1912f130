import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { compileJsonSchema } from "./compile-json-schema.ts";

async function check(schema: object, value: unknown) {
  return (await compileJsonSchema(schema))(value);
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

function anySchema(source: Random, depth = 0): unknown {
  const { int, pick } = source;
  if (int(12) === 0) return int(3) > 0;
  const inner = () => anySchema(source, depth + 1);
  const some = () => Array.from({ length: 1 + int(3) }, inner);
  const named = () => Object.fromEntries(names.filter(() => int(2) === 0).map((name) => [name, inner()]));
  const leaves: readonly (() => object)[] = [
    () => ({ type: pick(["string", "integer", "number", "object", "array", "boolean", "null"]) }),
    () => ({ type: ["string", pick(["object", "array", "integer"])] }),
    () => ({ enum: [pick(scalars), anyValue(source, 2)] }),
    () => ({ const: anyValue(source, 2) }),
    () => ({ minimum: int(3), exclusiveMaximum: 1 + int(3) }),
    () => ({ multipleOf: pick([1, 0.5, 2]) }),
    () => ({ minLength: int(3), maxLength: 1 + int(3) }),
    () => ({ pattern: pick(["^a", "b$", "^[ab]+$", "é"]) }),
    () => ({ minItems: int(2), maxItems: 1 + int(3) }),
    () => ({ uniqueItems: true }),
    () => ({ minProperties: int(2), maxProperties: 1 + int(3) }),
    () => ({ required: names.filter(() => int(3) === 0) }),
    () => ({ dependentRequired: { a: ["b"] } }),
    () => ({ $ref: "#/$defs/shared" }),
  ];
  const branches: readonly (() => object)[] = [
    () => ({ properties: named() }),
    () => ({ properties: named(), additionalProperties: inner() }),
    () => ({ properties: named(), patternProperties: { "^a": inner() }, additionalProperties: false }),
    () => ({ propertyNames: inner() }),
    () => ({ items: inner() }),
    () => ({ prefixItems: some(), items: inner() }),
    () => ({ contains: inner(), minContains: int(2) }),
    () => ({ allOf: some() }),
    () => ({ anyOf: some() }),
    () => ({ oneOf: some() }),
    () => ({ not: inner() }),
    () => Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, inner()])),
    () => ({ dependentSchemas: { a: inner() } }),
    () => ({ properties: named(), anyOf: some(), unevaluatedProperties: inner() }),
    () => ({ prefixItems: some(), allOf: some(), unevaluatedItems: false }),
  ];
  const kinds = depth > 2 ? leaves : [...leaves, ...branches, ...branches];
  return Object.assign({}, ...Array.from({ length: 1 + int(2) }, () => pick(kinds)())) as object;
}

describe("compileJsonSchema", () => {
  test("accepts the same values as another validator", async () => {
    let admitted = 0;
    for (let seed = 0; seed < 1_500; seed += 1) {
      const source = random(seed);
      const shared = source.pick([
        { type: "string" },
        { required: ["a"] },
        { minimum: 1 },
        { items: { type: "object" } },
      ]);
      const schema = { $defs: { shared }, ...Object(anySchema(source)) } as object;
      const reference = new Validator(schema, "2020-12");
      const checked = await compileJsonSchema(schema);
      for (let tries = 0; tries < 8; tries += 1) {
        const value = anyValue(source);
        const { valid } = reference.validate(value);
        const shown = JSON.stringify({ seed, schema, value });
        expect({ shown, ok: checked(value).ok }).toEqual({ shown, ok: valid });
        if (valid) admitted += 1;
      }
    }
    expect(admitted).toBeGreaterThan(2_000);
  });

  test.each<[object, unknown, string]>([
    [{ required: ["path"], properties: { path: { type: "string" } } }, {}, "path: required, expected string"],
    [
      { properties: { path: {} }, additionalProperties: false },
      { pth: 1 },
      'args: unknown field "pth" (did you mean "path"?)',
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

  test("follows references to anchors, identifiers and definitions, and does not check references to other documents", async () => {
    const schema = {
      $defs: { one: { $anchor: "one", type: "integer" }, two: { $id: "https://a.example/two", type: "string" } },
      properties: {
        one: { $ref: "#one" },
        two: { $ref: "https://a.example/two" },
        far: { $ref: "https://a.example/elsewhere.json" },
      },
    };
    expect(await check(schema, { one: 1, two: "x", far: 5 })).toMatchObject({ ok: true });
    expect(await check(schema, { one: "1" })).toMatchObject({ ok: false });
    expect(await check(schema, { two: 2 })).toMatchObject({ ok: false });
  });
});

describe("a hostile schema", () => {
  const text = `${"a".repeat(50_000)}!`;

  test.each<[string, object, unknown]>([
    ["pattern", { properties: { text: { pattern: "^(a+)+$" } } }, { text }],
    ["patternProperties", { patternProperties: { "^(a+)+$": { type: "string" } } }, { [text]: 1 }],
    ["propertyNames", { propertyNames: { pattern: "^(a|aa)+$" } }, { [text]: 1 }],
  ])("costs no more than linear time: %s", async (_, schema, value) => {
    const started = performance.now();
    await check(schema, value);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("still checks its patterns", async () => {
    expect(await check({ properties: { text: { pattern: "^(a+)+$" } } }, { text: "aaa!" })).toMatchObject({
      ok: false,
    });
    expect(await check({ patternProperties: { "^(a+)+$": { type: "string" } } }, { aaa: 1 })).toMatchObject({
      ok: false,
    });
  });

  test("that measures a long text many times is given up with an error", async () => {
    const value = "x".repeat(2_000_000);
    const schema = { allOf: Array.from({ length: 2_900 }, (_, at) => ({ minLength: 1_900_000 + at })) };
    expect(await check(schema, value)).toMatchObject({ ok: false, message: expect.stringContaining("too large") });
  });

  test("that compares a large constant with every field name ends in time", async () => {
    const constant = Object.fromEntries(Array.from({ length: 14_000 }, (_, at) => [`k${at}`, at]));
    const allOf = Array.from({ length: 1_300 }, () => ({ propertyNames: { $ref: "#/$defs/c" } }));
    const start = performance.now();
    expect(await check({ $defs: { c: { const: constant } }, allOf }, { a: 1, b: 2 })).toMatchObject({ ok: false });
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

  test("whose definitions double with every reference is evaluated once at each place", async () => {
    const definitions = Array.from({ length: 60 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [
        `d${at}`,
        { anyOf: [{ allOf: [next, { type: "string" }] }, { allOf: [next, { type: "number" }] }] },
      ] as const;
    });
    const schema = { $defs: { ...Object.fromEntries(definitions), d60: { type: "null" } }, $ref: "#/$defs/d0" };
    expect(await check(schema, 5)).toMatchObject({ ok: false });
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
