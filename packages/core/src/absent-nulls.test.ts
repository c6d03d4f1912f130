import { describe, expect, test } from "vitest";
import { z } from "zod";
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
