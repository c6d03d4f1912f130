import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, test } from "vitest";
import { cli, dataFolder, folder, initialize, roughPack, start } from "./command.fixture.ts";
import { logLevels } from "./log.ts";

const info = { name: "test", version: "1.0.0" };
const launch = (cwd: string, flags: readonly string[]) => ({
  command: process.execPath,
  args: [cli, "--root", cwd, ...flags],
  cwd,
  env: { ...dataFolder },
  stderr: "ignore" as const,
});

const clients = {
  "a 1.x client": async (cwd: string, flags: readonly string[]) => {
    const client = new FirstClient(info);
    await client.connect(new FirstTransport(launch(cwd, flags)));
    return client;
  },
  "a 2.x client of protocol 2025-11-25": async (cwd: string, flags: readonly string[]) => {
    const client = new ModernClient(info);
    await client.connect(new StdioClientTransport(launch(cwd, flags)));
    return client;
  },
  "a 2.x client that negotiates": async (cwd: string, flags: readonly string[]) => {
    const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StdioClientTransport(launch(cwd, flags)));
    return client;
  },
};

describe.each(["2", "1"])("toolpacks on SDK %s", (sdk) => {
  test.each(Object.entries(clients))("serves %s: list, search, read", async (_, connect) => {
    const cwd = folder({ "hello.txt": "hello there\n" });
    const client = await connect(cwd, ["--sdk", sdk]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(coreTools);
    const found = await client.callTool({ name: "tool_search", arguments: { query: "read a file", limit: 1 } });
    expect(JSON.stringify(found.content)).toContain("fs_read(");
    const read = await client.callTool({
      name: "tool_read",
      arguments: { name: "fs_read", args: { path: "hello.txt" } },
    });
    expect(read.content).toEqual([{ type: "text", text: "hello there\n" }]);
    expect(client.getServerVersion()?.name).toBe("toolpacks");
    expect(client.getServerCapabilities()?.tools?.listChanged ?? false).toBe(false);
    expect(client.getInstructions()).toContain("filesystem");
    await client.close();
  });

  test("lists one pack directly with --facet, and says how to mount the others", async () => {
    const client = await clients["a 1.x client"](folder(), ["--sdk", sdk, "--facet", "filesystem", "--write"]);
    expect((await client.listTools()).tools).toHaveLength(9);
    await client.close();
  });
});

test("a client pinned to protocol 2026-07-28 is served", async () => {
  const cwd = folder({ "hello.txt": "hello" });
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StdioClientTransport(launch(cwd, [])));
  expect((await client.listTools()).tools).toHaveLength(9);
  await client.close();
});

const coreTools = [
  "tool_search",
  "tool_describe",
  "tool_read",
  "tool_invoke",
  "store_put",
  "store_query",
  "store_close",
  "workflow_eval",
  "relay_read",
];

describe("stdout carries JSON-RPC messages only", () => {
  const isMessage = (line: string) => (JSON.parse(line) as { jsonrpc?: string }).jsonrpc === "2.0";

  test.each(
    logLevels.flatMap(
      (level) =>
        [
          [level, "1"],
          [level, "2"],
        ] as const,
    ),
  )("at log level %s on SDK %s, with tools that print and fail", async (level, sdk) => {
    const cwd = folder({ "rough.mjs": roughPack, "toolpacks.config.json": '{ "packs": { "./rough.mjs": {} } }' });
    const server = start(["--log-level", level, "--sdk", sdk], cwd);
    server.send(initialize);
    await server.answer(1);
    server.send({ method: "notifications/initialized" });
    const names = ["rough_print", "rough_throw", "rough_nope"];
    for (const [at, name] of names.entries()) {
      server.send({ id: at + 2, method: "tools/call", params: { name: "tool_invoke", arguments: { name } } });
    }
    const answers = await Promise.all(names.map((_, at) => server.answer(at + 2)));
    server.child.stdin.write("this is not JSON\n");
    expect(JSON.stringify(answers[0])).toContain("printed");
    expect(JSON.stringify(answers[1])).toContain("internal: rough_throw failed inside the server");
    expect(JSON.stringify(answers[1])).not.toContain("inner detail");
    expect(JSON.stringify(answers[2])).toContain("no tool is named");
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    const lines = server.output.stdout.split("\n").filter(Boolean);
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.filter((line) => !isMessage(line))).toEqual([]);
    expect(server.output.stderr.includes("inner detail")).toBe(level !== "silent");
  });

  test.each(["{ broken", '{ "surface": "sideways" }', '{ "packs": { "./missing.mjs": {} } }'])(
    "with the broken config %s",
    async (text) => {
      const server = start([], folder({ "toolpacks.config.json": text }));
      expect(await server.ended).toBe(2);
      expect(server.output.stdout).toBe("");
      expect(server.output.stderr).toContain("toolpacks.config.json");
      expect(server.output.stderr.trim().split("\n")).toHaveLength(1);
    },
  );
});

describe("the process ends cleanly", () => {
  test.each(["stdin", "stdout", "SIGINT", "SIGTERM"] as const)(
    "on %s, while a call runs, without a partial line",
    async (how) => {
      const cwd = folder({ "rough.mjs": roughPack, "toolpacks.config.json": '{ "packs": { "./rough.mjs": {} } }' });
      const server = start(["--root", cwd, "--write"], cwd);
      server.send(initialize);
      await server.answer(1);
      server.send({ method: "notifications/initialized" });
      server.send({ id: 2, method: "tools/call", params: { name: "rough_wait", arguments: {} } });
      const content = "x".repeat(4_000_000);
      server.send({
        id: 3,
        method: "tools/call",
        params: { name: "fs_write", arguments: { path: "big.txt", content } },
      });
      if (how === "stdin") server.child.stdin.end();
      else if (how === "stdout") {
        server.child.stdout.destroy();
        server.send({ id: 4, method: "ping" });
      } else {
        await new Promise((resolve) => setTimeout(resolve, 50));
        server.child.kill(how);
      }
      expect(await server.ended).toBe(0);
      expect(readdirSync(cwd).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      const written = path.join(cwd, "big.txt");
      if (existsSync(written)) expect(readFileSync(written, "utf8")).toBe(content);
    },
  );
});

test("--watch applies a change of the config file, notifies the client, and keeps the last valid config", async () => {
  const cwd = folder({ "toolpacks.config.json": "{}" });
  const config = path.join(cwd, "toolpacks.config.json");
  const client = new ModernClient(info);
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    changes += 1;
  });
  await client.connect(new StdioClientTransport(launch(cwd, ["--watch"])));
  expect(client.getServerCapabilities()?.tools?.listChanged).toBe(true);
  expect((await client.listTools()).tools).toHaveLength(9);

  writeFileSync(config, '{ "expose": ["core", "filesystem"] }');
  await expect.poll(() => changes, { timeout: 5_000 }).toBe(1);
  const listed = async () => (await client.listTools(undefined, { cacheMode: "refresh" } as never)).tools.length;
  expect(await listed()).toBe(12);

  writeFileSync(config, "{ broken");
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await listed()).toBe(12);
  expect(changes).toBe(1);
  await client.close();
});
