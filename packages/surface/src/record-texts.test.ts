import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { defineKind, definePack, type RecurringRecords } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface, type SurfaceOptions } from "./surface.ts";
import { wires } from "./wire.fixture.ts";

const recurring: RecurringRecords = { time: "due", rule: "repeat", occurrences: async () => [] };
const chore = defineKind({
  name: "chore",
  description: "Something to do again and again.",
  keywords: ["remind me"],
  schema: z.object({
    text: z.string(),
    due: z.iso.date(),
    repeat: z.string().optional(),
    done: z.string().optional().meta({ description: "set by closing", readOnly: true }),
  }),
  indexes: ["due", "repeat"],
  recurring,
});
const names = ["b", "c", "d", "e", "f", "g"];
const form = defineKind({
  name: "form",
  description: "A paper with many fields.",
  schema: z.object({ a: z.string(), ...Object.fromEntries(names.map((name) => [name, z.string().optional()])) }),
});
const house = definePack({ name: "house", description: "Chores.", budget: 1, kinds: [chore, form], tools: () => [] });

async function connect(options: Partial<SurfaceOptions>) {
  const folder = mkdtempSync(path.join(tmpdir(), "records-"));
  const store = sqlite(path.join(folder, "store.db"));
  const packs = [house(), storePack({ store, kinds: [chore, form] })];
  const surface = await createSurface({ packs, twoTool: { store }, ...options });
  const client = (await wires["sdk 2, protocol 2026-07-28"](surface)).client as Client;
  onTestFinished(async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  const listed = async (name: string) => {
    const { tools } = await client.listTools();
    return JSON.stringify(tools.find((tool) => tool.name === name)?.inputSchema);
  };
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  return { listed, ask };
}

describe("the list of a surface without tool_describe", () => {
  test("names the kinds and the fields that a caller writes; of many fields, the required ones", async () => {
    const { listed } = await connect({ surface: "direct" });
    expect(await listed("store_put")).toContain('"fields by kind: chore {text, due, repeat?}, form {a, …}"');
    expect(await listed("store_query")).toContain('"kind":{"type":"string","description":"chore, form"}');
    expect(`${await listed("store_put")}${await listed("store_query")}`).not.toContain("tool_describe");
  });

  test("names no kind that the caller may not use", async () => {
    const { listed } = await connect({ surface: "direct", rights: { grants: [{ facets: ["store"] }] } });
    const text = `${await listed("store_put")}${await listed("store_query")}`;
    expect(text).toContain("fields by kind: none");
    expect(text).not.toMatch(/chore|form/);
  });

  test("is that of every other surface otherwise", async () => {
    for (const options of [{ surface: "discovery" }, { surface: "direct", expose: ["core", "store"] }] as const) {
      const { listed } = await connect(options);
      expect(await listed("store_put")).toContain("tool_describe {kind}");
    }
  });
});

describe("today's date", () => {
  const today = new RegExp(`today is ${new Date().toISOString().slice(0, 10)} \\(\\w+day\\), \\d\\d:\\d\\d UTC`);

  test("is in a search that finds a kind with dates, and in the description of the kind", async () => {
    const { ask } = await connect({ surface: "discovery" });
    expect(await ask("tool_search", { query: "remind me" })).toMatch(today);
    expect(await ask("tool_search", { query: ["remind me", "fill in a paper"] })).toMatch(today);
    expect(await ask("tool_search", { query: "fill in a paper" })).not.toMatch(today);
    expect(await ask("tool_describe", { kind: "chore" })).toMatch(today);
    expect(await ask("tool_describe", { kind: "form" })).not.toMatch(today);
  });

  test("is in the description of the kind on two tools", async () => {
    const { ask } = await connect({ surface: "two-tool" });
    const context = { sessionId: "s", memory: "none", goal: "chores" };
    expect(await ask("getTools", { context, request: [{ pack: "kinds", tools: ["chore"] }] })).toMatch(today);
  });
});
