import { describe, expect, test } from "vitest";
import { z as zod3 } from "zod-3";
import { z as lowest } from "zod-lowest";
import { z } from "zod";
import { defineKind } from "./define-kind.ts";
import { definePack } from "./define-pack.ts";
import { defineStepType } from "./step-type.ts";
import { defineTool } from "./define-tool.ts";
import type { Pack } from "./pack.ts";
import { wires } from "./wire.fixture.ts";

/** A pack written with one version of zod. Both stand here, because their types are two. */
const packs: Readonly<Record<string, () => Pack>> = {
  "the lowest zod": definePack({
    name: "lines",
    description: "Lines of text.",
    budget: 200,
    options: lowest.strictObject({ prefix: lowest.string().default("-") }).optional(),
    tools: (options) => [
      defineTool({
        name: "line_add",
        description: "Add a line.",
        mutates: true,
        input: lowest.object({
          text: lowest.string().min(1).max(100).describe("what it says"),
          style: lowest
            .strictObject({ bold: lowest.boolean().optional().describe("thick") })
            .optional()
            .describe("how"),
          times: lowest.int().min(1).max(9).default(1).describe("how often"),
        }),
        output: lowest.object({ line: lowest.string() }),
        handler: ({ text, times }) => ({ line: `${options?.prefix ?? "-"} ${text.repeat(times)}`, extra: true }),
      }),
    ],
  }),
  "the newest zod": definePack({
    name: "lines",
    description: "Lines of text.",
    budget: 200,
    options: z.strictObject({ prefix: z.string().default("-") }).optional(),
    tools: (options) => [
      defineTool({
        name: "line_add",
        description: "Add a line.",
        mutates: true,
        input: z.object({
          text: z.string().min(1).max(100).describe("what it says"),
          style: z
            .strictObject({ bold: z.boolean().optional().describe("thick") })
            .optional()
            .describe("how"),
          times: z.int().min(1).max(9).default(1).describe("how often"),
        }),
        output: z.object({ line: z.string() }),
        handler: ({ text, times }) => ({ line: `${options?.prefix ?? "-"} ${text.repeat(times)}`, extra: true }),
      }),
    ],
  }),
};

const cases = Object.entries(wires).flatMap(([wire, connect]) =>
  Object.entries(packs).map(([zod, pack]) => ({ wire, zod, connect, pack })),
);

describe.each(cases)("a pack of $zod, over $wire", ({ connect, pack }) => {
  test("is listed with the descriptions of its fields", async () => {
    const { list, close } = await connect(pack());
    expect((await list()).find(({ name }) => name === "line_add")).toMatchObject({
      inputSchema: {
        type: "object",
        properties: {
          text: { type: "string", description: "what it says" },
          style: {
            type: "object",
            description: "how",
            properties: { bold: { type: "boolean", description: "thick" } },
          },
          times: { type: "integer", description: "how often", default: 1 },
        },
        required: ["text"],
      },
      outputSchema: { type: "object", properties: { line: { type: "string" } } },
    });
    await close();
  });

  test("answers calls, and explains wrong arguments", async () => {
    const { call, close } = await connect(pack());
    expect((await call("line_add", { text: "a", times: null })).structuredContent).toEqual({ line: "- a" });
    const problems = [
      [{}, "text: required, expected string"],
      [{ text: 5 }, "text: expected string, received number"],
      [{ text: "a", times: 10 }, "times: expected at most 9"],
      [{ text: "a", tiems: 2 }, "tiems: unknown field, did you mean times?"],
      [{ text: "a", style: { bald: true } }, "style.bald: unknown field, did you mean bold?"],
    ] as const;
    for (const [args, problem] of problems) {
      const result = await call("line_add", args);
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(problem) }] });
    }
    await close();
  });
});

describe("a schema of zod 3", () => {
  const old = zod3.object({ text: zod3.string() }) as unknown as z.ZodObject;
  const input = z.object({});
  const tool = { name: "old_tool", description: "Old.", mutates: false, handler: () => ({}) };

  test.each<[string, () => unknown]>([
    ["tool old_tool: input", () => defineTool({ ...tool, input: old, output: input })],
    ["tool old_tool: output", () => defineTool({ ...tool, input, output: old })],
    [
      "pack old: options",
      () => definePack({ name: "old", description: "Old.", budget: 1, options: old, tools: () => [] }),
    ],
    ["kind old: schema", () => defineKind({ name: "old", schema: old })],
    ["kind old: schema", () => defineKind({ name: "old", schema: () => old }).schema],
    [
      "step type old: params",
      () => defineStepType({ name: "old", description: "Old.", mutates: false, params: old, run: () => 1 }),
    ],
  ])("is refused as %s", (place, define) => {
    expect(define).toThrow(`${place} is a zod 3 schema; toolpacks needs zod ^4.1 (npm install zod@4)`);
  });
});

test("a schema that is not an object schema is refused by defineTool", () => {
  const tool = {
    name: "raw_tool",
    description: "Raw.",
    mutates: false,
    output: z.object({}),
    handler: () => ({}),
  };
  const shape = { text: z.string() } as unknown as z.ZodObject;
  expect(() => defineTool({ ...tool, input: shape })).toThrow(
    "tool raw_tool: input: expected a zod schema, such as z.object({ … })",
  );
  const text = z.string() as unknown as z.ZodObject;
  expect(() => defineTool({ ...tool, input: text })).toThrow(
    "tool raw_tool: input: expected z.object({ … }), received a schema of type string",
  );
});
