import { defineForeignTool, definePack } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { describeTool } from "./describe.ts";
import { signature, typeText } from "./signature.ts";
import { parameterTexts, searchable } from "./search/searchable.ts";
import { wires } from "./wire.fixture.ts";
import { createSurface } from "./surface.ts";

/** A tool with many parameters, as another server may list it. */
function wide(count: number, required = 0) {
  const names = Array.from({ length: count }, (_, at) => `parameter_${at}`);
  return defineForeignTool({
    name: "wide_tool",
    description: "Weld a wide thing.",
    mutates: false,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string", description: `About ${name}.` }])),
      required: names.slice(0, required),
    },
    handler: () => ({}),
  });
}

/** How often a property's schema is read, since time depends on the machine. */
function readsOf(count: number, work: (tool: ReturnType<typeof wide>) => unknown): number {
  const tool = wide(count);
  let reads = 0;
  const json = { ...tool.input.json() };
  const properties = Object.entries(json["properties"] as object).map(([name, schema]: [string, object]) => {
    const counted = new Proxy(schema, {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    return [name, counted] as const;
  });
  const counted = { ...json, properties: Object.fromEntries(properties) };
  work({ ...tool, input: { ...tool.input, json: () => counted, full: () => counted } });
  return reads;
}

describe("a tool with thousands of parameters", () => {
  test.each<[string, (tool: ReturnType<typeof wide>) => unknown]>([
    ["a signature", (tool) => signature(tool)],
    ["what is indexed", (tool) => parameterTexts(tool.input.json())],
  ])("%s reads no more of 4,000 parameters than of 1,000", (_, work) => {
    expect(readsOf(4_000, work)).toBe(readsOf(1_000, work));
  });

  test("has a limited part of a long description in the index", () => {
    const tool = { ...wide(1), description: "word ".repeat(50_000) };
    expect(searchable({ tool, facet: "wide" }).description).toHaveLength(4_000);
  });

  test("has a bounded description", () => {
    const text = describeTool({ tool: wide(4_000), facet: "wide" });
    expect(text.split("\n").length).toBeLessThan(310);
    expect(text).toContain("and 3700 fields more");
  });

  test("has a shortened type for many forms, fields or levels", () => {
    expect(typeText({ anyOf: Array.from({ length: 500 }, (_, at) => ({ const: at })) })).toMatch(/^0\|1\|.*\|29\|…$/);
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, { type: "string" }]));
    expect(typeText({ type: "object", properties })).toMatch(/f29\?: string, … }$/);
    let deep: Record<string, unknown> = { type: "string" };
    for (let level = 0; level < 5_000; level += 1) deep = { type: "array", items: deep };
    expect(typeText(deep)).toMatch(/^any(\[\])+$/);
  });
});

describe.each(Object.entries(wires))("on %s", (_, connect) => {
  test("a search over such tools is fast", async () => {
    const pack = definePack({ name: "wide", description: "Wide.", budget: 1_000_000, tools: () => [wide(4_000)] })();
    const { client } = await connect(await createSurface({ packs: [pack] }));
    const started = performance.now();
    const found = await client.callTool({ name: "tool_search", arguments: { query: "weld a wide thing" } });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(JSON.stringify(found)).toContain("wide_tool(");
    await client.close();
  });
});
