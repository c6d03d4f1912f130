import { Client } from "@modelcontextprotocol/client";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, onTestFinished, test } from "vitest";
import { expectDeclarations } from "../../../../packages/surface/src/declarations.fixture.ts";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

async function connect(surface: string) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = ["--surface", surface, "--root", folder(), "--write", "--log-level", "silent"];
  await client.connect(serverTransport(args));
  onTestFinished(() => client.close());
  const ask = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  };
  return { client, ask };
}

test("tool_describe takes 120 tokens on average over all bundled tools, and says no limit that an error says", async () => {
  const { client } = await connect("direct");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(40);
  const { ask } = await connect("discovery");
  let tokens = 0;
  for (const name of names) {
    const text = await ask("tool_describe", { name });
    expect(text).not.toMatch(/; at (?:most|least) \d|not empty/);
    tokens += encode(text).length;
  }
  expect(tokens / names.length).toBeLessThan(120);
});

test("tool_search declares every bundled tool and its result in TypeScript", async () => {
  const names = (await (await connect("direct")).client.listTools()).tools.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(40);
  const { ask } = await connect("discovery");
  for (const name of names) {
    const text = await ask("tool_search", { query: name, as: "code", limit: 1 });
    expect(text).toMatch(new RegExp(`\\b${name}\\(.*\\): Promise<[{R].*>;$`, "m"));
    expectDeclarations(text);
  }
});

test.each([
  [
    "which calls failed since yesterday",
    "trace_timeline",
    ["since?: string (from then on: a date", "outcome?: string[] (ok, failed"],
  ],
  ["remind me every Monday", 'store_put(kind: "reminder"', ["repeat?: string (RRULE: ", "2027-01-31"]],
  ["insert a line into a file", "fs_edit", ["old?: string (exact text, once in the file)", "append?: string|"]],
  [
    "find lines in files by regex",
    "search_text",
    ["pattern: string (regex; its groups: lines[].groups", "! in front leaves out"],
  ],
  [
    "create issues with a parent",
    "issue_create",
    ["parent?: string (its epic's id; #1 is", "depends?: string[] (id or type:id"],
  ],
  ["find a definition by name", "search_symbols", ["Type.member finds members"]],
  ["make an issue depend on another", "issue_depend", ["blocks (the default), parent-child, waits-for"]],
  ["run several tool calls as steps", "workflow_eval", ["{tool, params, id}; ${steps."]],
])("a search for %j says what to write in a call", async (query, call, notes) => {
  const { ask } = await connect("discovery");
  const lines = (await ask("tool_search", { query })).split("\n");
  const line = lines.find((one) => one.startsWith(call)) ?? lines[0];
  for (const note of notes) expect(line).toContain(note);
});
