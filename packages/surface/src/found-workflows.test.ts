import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { definePack, defineTool, type Rights } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { workflows } from "@toolpacks/workflows";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface } from "./surface.ts";
import { wires } from "./wire.fixture.ts";

const definitions = {
  inspect_bakery: {
    description: "Inspect a bakery: ovens, flour. Then report.",
    input: { oven: "integer", notes: "string[]?", depth: { type: "integer", default: 2 } },
    steps: [{ tool: "test_noop" }],
  },
  greet: { description: "Greet a baker.", steps: [{ tool: "test_noop" }] },
  count_loaves: { description: "Count loaves.", expose: "tool" as const, steps: [{ tool: "test_noop" }] },
};

/** A client of the discovery surface over the definitions and the tool `test_noop`. */
async function openClient(rights: Rights = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "found-workflows-"));
  const store = sqlite(path.join(folder, "store.db"));
  const calls: string[] = [];
  const handler = () => {
    calls.push("test_noop");
    return {};
  };
  const empty = z.object({});
  const test = definePack({
    name: "test",
    description: "Does nothing.",
    budget: 100,
    tools: () => [
      defineTool({
        name: "test_noop",
        description: "Does nothing.",
        mutates: false,
        input: empty,
        output: empty,
        handler,
      }),
    ],
  });
  const surface = await createSurface({ packs: [test(), workflows({ store, definitions })], rights });
  const { client } = await wires["sdk 2, protocol 2025-11-25"](surface);
  onTestFinished(async () => {
    await client.close();
    await surface.dispatcher.idle();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  const call = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const text = (content as readonly { readonly text?: string }[]).map((block) => block.text ?? "").join("\n");
    return { text, isError };
  };
  const search = async (query: string) => (await call("tool_search", { query })).text.split("\n");
  return { client, calls, call, search };
}

const bakery = "inspect the ovens of the bakery";

describe("tool_search", () => {
  test("finds a configured workflow, with the call that runs it and its input, which runs", async () => {
    const { calls, call, search } = await openClient();
    expect((await search(bakery))[0]).toBe(
      'workflow_run(name: "inspect_bakery", input: { oven: int, notes?: string[], depth?: int=2 }, dryRun?: boolean (change nothing; tell what would be called), onError?: "stop"|"continue" (after a failed step; default: the workflow\'s)) [mutates] -> succeeded[]{step,…}, waits[]: Inspect a bakery: ovens, flour',
    );
    const args = { name: "inspect_bakery", input: { oven: 3 } };
    expect(await call("tool_invoke", { name: "workflow_run", args })).toMatchObject({ isError: false });
    expect(calls).toEqual(["test_noop"]);
  });

  test("shows no input of a workflow that takes none", async () => {
    const [first] = await (await openClient()).search("greet the baker");
    expect(first).toMatch(/^workflow_run\(name: "greet", dryRun\?: .*: Greet a baker$/);
  });

  test("finds an exposed workflow as its own tool only", async () => {
    const lines = await (await openClient()).search("count the loaves");
    expect(lines[0]).toMatch(/^workflow_count_loaves\(/);
    expect(lines.filter((line) => line.includes('name: "count_loaves"'))).toEqual([]);
  });

  test.each<[string, Rights]>([
    ["a token grants no workflow_run", { grants: [{ facets: ["test"], tools: ["workflow_list"] }] }],
    ["workflow_run is denied", { deny: ["workflow_run"] }],
    ["the server is read-only", { readOnly: true }],
  ])("does not know of a workflow where %s", async (_, rights) => {
    expect((await (await openClient(rights)).search(bakery)).join("\n")).not.toContain("bakery");
  });
});

test("discovery lists only workflow_eval, and finds the others", async () => {
  const { client, search } = await openClient();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "tool_search",
    "tool_describe",
    "tool_read",
    "tool_invoke",
    "workflow_eval",
  ]);
  expect(tools[4]?._meta).toMatchObject({ "anthropic/alwaysLoad": true });
  expect((await search("show the report of the last workflow run")).join("\n")).toContain("workflow_report(");
});

test("an exposed workflow is a prompt, unless its tool is denied", async () => {
  const promptsWith = async (rights: Rights) => (await (await openClient(rights)).client.listPrompts()).prompts;
  expect(await promptsWith({})).toMatchObject([{ name: "workflow_count_loaves" }]);
  expect(await promptsWith({ deny: ["workflow_count_loaves"] })).toEqual([]);
});
