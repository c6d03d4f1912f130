import { describe, expect, test } from "vitest";
import { withoutAbsentNulls } from "./absent-nulls.ts";

describe("withoutAbsentNulls", () => {
  test("uses the forms of a union that the value can have", () => {
    const form = (kind: string, note: object) => ({ type: "object", properties: { kind: { const: kind }, note } });
    const schema = { oneOf: [form("a", { type: "string" }), form("b", { type: ["string", "null"] })] };
    expect(withoutAbsentNulls({ kind: "a", note: null }, () => schema)).toEqual({ kind: "a" });
    expect(withoutAbsentNulls({ kind: "b", note: null }, () => schema)).toEqual({ kind: "b", note: null });
  });

  test("reads no schema if there is no null", () => {
    const value = { a: [1, { b: "c" }] };
    const schema = () => {
      throw new Error("not needed");
    };
    expect(withoutAbsentNulls(value, schema)).toBe(value);
  });

  test("visits a recursive schema once for each value", () => {
    const again = { $ref: "#" };
    const schema = { anyOf: [again, again], properties: { a: { type: "string" } } };
    const begun = performance.now();
    expect(withoutAbsentNulls({ a: null }, () => schema)).toEqual({});
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test("takes bounded time for a union of many forms", () => {
    const forms = Array.from({ length: 3_000 }, () => ({ properties: { a: { type: "string" } } }));
    const value = Array.from({ length: 1_000 }, () => ({ a: null }));
    const begun = performance.now();
    withoutAbsentNulls(value, () => ({ items: { anyOf: forms } }));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test("takes bounded time for a schema that refers to itself in many large forms", () => {
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, {}]));
    const schema = {
      type: "object",
      properties: { opt: { type: "string" }, limit: { type: "number" } },
      $defs: { p: { properties } },
      anyOf: Array.from({ length: 1_200 }, () => ({ $ref: "#/$defs/p" })),
      allOf: Array.from({ length: 200 }, () => ({ $ref: "#" })),
    };
    const begun = performance.now();
    expect(withoutAbsentNulls({ opt: null, limit: 3 }, () => schema)).toEqual({ limit: 3 });
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
