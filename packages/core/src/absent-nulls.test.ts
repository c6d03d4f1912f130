import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withoutAbsentNulls } from "@toolpacks/schema";
import { createCatalog } from "./catalog.ts";
import { createDispatcher } from "./dispatch.ts";
import { createPack, definePack } from "./define-pack.ts";
import { defineForeignTool, defineTool } from "./define-tool.ts";
import { wires } from "./wire.fixture.ts";

const place = z.strictObject({
  city: z.string().describe("where"),
  street: z.string().optional().describe("which street"),
  floor: z.int().nullable().optional().describe("null: unknown"),
});

/** Answers what its handler received. */
const echo = definePack({
  name: "echo",
  description: "Answers what it received.",
  budget: 500,
  tools: () => [
    defineTool({
      name: "echo_args",
      description: "Answer the arguments.",
      mutates: false,
      input: z.object({
        text: z.string().describe("required"),
        limit: z.int().default(5).describe("has a default"),
        note: z.string().nullable().optional().describe("null means something"),
        anything: z.unknown().optional().describe("null too"),
        places: z.array(place).optional().describe("nested"),
        target: z.union([z.string(), place]).optional().describe("a union"),
        record: z.record(z.string(), z.unknown()).optional().describe("fields of the caller's own"),
      }),
      output: z.looseObject({}),
      handler: (input) => ({ received: input }),
    }),
  ],
});

describe.each(Object.entries(wires))("over %s", (_wire, connect) => {
  test("null in an optional field counts as absent, at any depth", async () => {
    const { call, close } = await connect(echo());
    const args = {
      text: "a",
      limit: null,
      note: null,
      anything: null,
      places: [{ city: "Rome", street: null, floor: null }],
      target: { city: "Oslo", street: null },
      record: { due: null },
    };
    expect((await call("echo_args", args)).structuredContent).toEqual({
      received: {
        text: "a",
        limit: 5,
        note: null,
        anything: null,
        places: [{ city: "Rome", floor: null }],
        target: { city: "Oslo" },
        record: { due: null },
      },
    });
    await close();
  });

  test("null in a required or unknown field is an error", async () => {
    const { call, close } = await connect(echo());
    const required = await call("echo_args", { text: null, limit: null });
    expect(required).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("text: expected string, received null") }],
    });
    const nested = await call("echo_args", { text: "a", places: [{ city: null }] });
    expect(nested).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("places[0].city: expected string") }],
    });
    const unknown = await call("echo_args", { text: "a", limt: null });
    expect(unknown).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("did you mean limit?") }],
    });
    await close();
  });
});

describe("a tool with JSON Schema", () => {
  const inputSchema = {
    type: "object",
    required: ["query", "mode"],
    properties: {
      query: { type: "string" },
      mode: { $ref: "#/$defs/mode" },
      page: { type: "integer" },
      sort: { enum: ["age", "name"] },
      cursor: { type: ["string", "null"] },
      until: { anyOf: [{ type: "string" }, { type: "null" }] },
      free: { description: "anything" },
      filter: { allOf: [{ $ref: "#/$defs/filter" }] },
    },
    $defs: {
      mode: { type: "string" },
      filter: { type: "object", properties: { author: { type: "string" }, next: { $ref: "#/$defs/filter" } } },
    },
  };

  test("does not receive optional fields that are null", async () => {
    const received: unknown[] = [];
    const tool = defineForeignTool({
      name: "find_it",
      description: "Find it.",
      mutates: false,
      inputSchema,
      handler: (input) => {
        received.push(input);
        return {};
      },
    });
    const pack = createPack({ name: "find", description: "Finds.", budget: 500, tools: async () => [tool] });
    const dispatcher = createDispatcher(createCatalog({ packs: [pack] }));
    const args = {
      query: "a",
      mode: "b",
      page: null,
      sort: null,
      cursor: null,
      until: null,
      free: null,
      other: null,
      filter: { author: null, next: { author: null } },
    };
    expect(await dispatcher.dispatch({ name: "find_it", args })).toMatchObject({ ok: true });
    const kept = { cursor: null, until: null, free: null, other: null };
    expect(received).toEqual([{ query: "a", mode: "b", ...kept, filter: { next: {} } }]);
    const refused = await dispatcher.dispatch({ name: "find_it", args: { query: null, mode: "b" } });
    expect(refused).toMatchObject({
      ok: false,
      failure: { code: "invalid_input", message: expect.stringContaining("query") },
    });
  });
});

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

  test("returns the value unchanged after a number of steps", () => {
    const forms = Array.from({ length: 3_000 }, () => ({ properties: { a: { type: "string" } } }));
    const value = Array.from({ length: 1_000 }, () => ({ a: null }));
    const begun = performance.now();
    expect(withoutAbsentNulls(value, () => ({ items: { anyOf: forms } }))).toBe(value);
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
