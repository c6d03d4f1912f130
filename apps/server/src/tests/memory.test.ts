import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { connectServer } from "../serve.fixture.ts";

async function connect(cwd: string, flags: readonly string[] = []) {
  return connectServer(["--store", path.join(cwd, "store.db"), ...flags], { cwd });
}

async function ask(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

describe("traces", () => {
  const traceCount = async (cwd: string) => {
    const { stdout } = await run(["export", "--store", "store.db"], { cwd });
    return stdout.split("\n").filter((line) => line.startsWith('{"kind":"trace","workspace"')).length;
  };

  test("are kept for a call from the command line", async () => {
    const cwd = folder();
    await run(["call", "workspace_list", "{}", "--store", "store.db"], { cwd });
    expect(await traceCount(cwd)).toBe(1);
  });

  test.each([
    ["one option", '{"packs":{"memory":{"traces":false}}}', []],
    ["read-only mode", "{}", ["--read-only"]],
    ["denying the pack", '{"deny":["memory"]}', []],
  ])("are off by %s", async (_how, config, flags) => {
    const cwd = folder({ "toolpacks.config.json": config });
    await run(["call", "store_query", '{"kind":"note"}', "--store", "store.db", ...flags], { cwd });
    expect(await traceCount(cwd)).toBe(0);
  });

  test("are configured in the file, and an error there stops the start", async () => {
    const traces = (value: string) => folder({ "toolpacks.config.json": `{"packs":{"memory":{"traces":${value}}}}` });
    const few = traces('{"keep":3}');
    const { client, server } = await connect(few);
    for (let at = 0; at < 9; at += 1) await ask(client, "tool_read", { name: "workspace_list", args: {} });
    await client.close();
    await server.ended;
    expect(await traceCount(few)).toBe(3);
    const wrong = await run(["doctor"], { cwd: traces('{"keep":"many"}') });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/packs\.memory\.traces\.keep: expected/) as string,
    });
  });
});

test("import --graph and export --graph round-trip a file of the official memory server", async () => {
  const lines = [
    { type: "entity", name: "Anna", entityType: "person", observations: ["Lives in Lund"] },
    { type: "entity", name: "billing", entityType: "service", observations: [] },
    { type: "relation", from: "Anna", to: "billing", relationType: "owns" },
  ].map((line) => `${JSON.stringify(line)}\n`);
  const cwd = folder({ "memory.jsonl": lines.join("") });
  const flags = ["--graph", "--store", "store.db", "--workspace", "shop"];
  expect(await run(["import", "memory.jsonl", ...flags], { cwd })).toMatchObject({
    code: 0,
    stderr: "2 entities, 1 observations and 1 relations imported; 0 were known\n",
  });
  expect((await run(["export", "out.jsonl", ...flags], { cwd })).stderr).toBe("3 records exported\n");
  expect(readFileSync(path.join(cwd, "out.jsonl"), "utf8")).toBe(lines.join(""));
  writeFileSync(path.join(cwd, "bad.jsonl"), '{"type":"thing"}');
  expect((await run(["import", "bad.jsonl", ...flags], { cwd })).stderr).toContain("line 1: type");
});

test("on the two-tool surface a call's goal finds its trace in the workspace of the call", async () => {
  const cwd = folder({ "plan.md": "Sunflowers by the door.\n", "settings.json": '{"workspaces":"all"}' });
  const { client } = await connect(cwd, ["--surface", "two-tool", "--root", ".", "--config", "settings.json"]);
  const workspace = async (workspaceId: string, call: Record<string, unknown>, goal = "Get the garden plan ready") => {
    const context = { workspaceId, sessionId: "spring", memory: "Seeds are bought.", goal };
    return ask(client, "useTools", { context, calls: [call], strategy: "serial" });
  };
  const made = await workspace("default", { pack: "memory", tool: "workspace_create", params: { name: "garden" } });
  expect(made).toContain("garden");
  const read = await workspace("garden", { pack: "filesystem", tool: "fs_read", params: { path: "plan.md" } });
  expect(read).toContain("Sunflowers by the door.");
  const state = { pack: "memory", tool: "state_save", params: { name: "planned" } };
  expect(await workspace("garden", state)).toContain("saved: planned");
  const search = { pack: "memory", tool: "trace_search", params: { query: "garden plan", tool: "fs_read" } };
  expect(await workspace("garden", search, "Look back")).toMatch(
    /goal: Get the garden plan ready\n +\S+ filesystem: read .*plan\.md.*Sunflowers/,
  );
  expect(await workspace("default", search, "Look back")).not.toContain("Sunflowers");
  const load = { pack: "memory", tool: "workspace_load", params: {} };
  expect(await workspace("garden", load, "Look back")).toMatch(/goal: Get the garden plan ready\n?.*memory: Seeds/s);
  const archive = { pack: "memory", tool: "workspace_archive", params: { name: "garden" } };
  await workspace("default", archive);
  expect(await workspace("garden", load)).toMatch(/there is no workspace .garden/);
  await client.close();
});
