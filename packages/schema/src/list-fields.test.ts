import { describe, expect, test } from "vitest";
import { z } from "zod";
import { inputSchema } from "./schema.ts";

const schema = inputSchema(
  z.object({
    ids: z.array(z.string()).optional(),
    path: z.string().optional(),
    paths: z.array(z.string()).max(2).optional(),
    edits: z.array(z.strictObject({ line: z.int() })).default([]),
  }),
);

describe("one item in place of a list", () => {
  test("is a list of it, also under the singular name", () => {
    expect(schema.check({ ids: "a" })).toMatchObject({ ok: true, value: { ids: ["a"] } });
    expect(schema.check({ id: "a" })).toMatchObject({ ok: true, value: { ids: ["a"] } });
    expect(schema.check({ edit: { line: 1 } })).toMatchObject({ ok: true, value: { edits: [{ line: 1 }] } });
  });

  test("leaves fields that the schema has, and lists", () => {
    expect(schema.check({ path: "a", paths: "b" })).toMatchObject({ ok: true, value: { path: "a", paths: ["b"] } });
    expect(schema.check({ path: "a" })).toEqual({ ok: true, value: { path: "a", edits: [] } });
    expect(schema.check({ ids: ["a"], id: "b" })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^id: unknown/),
    });
  });

  test("is reported as it was written if it is wrong", () => {
    expect(schema.check({ edits: { line: "x" } })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^edits: /),
    });
    expect(schema.check({ id: 1 })).toMatchObject({ ok: false, message: expect.stringMatching(/^id: unknown field/) });
  });
});
