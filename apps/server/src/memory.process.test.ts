import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { cli, dataFolder, folder, initialize, run, start } from "./command.fixture.ts";

async function connect(cwd: string, flags: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = [cli, "--trust", "--store", "store.db", ...flags];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env: dataFolder, stderr: "ignore" }),
  );
  return client;
}

async function ask(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

test("two servers and eight writers lose and duplicate no acknowledged record", async () => {
  const cwd = folder();
  const servers = await Promise.all([connect(cwd, ["--facet", "memory"]), connect(cwd, ["--facet", "memory"])]);
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const client = servers[writer % 2];
    if (client === undefined) return;
    for (let at = 0; at < 50; at += 1) {
      const args = {
        entity: `e${writer}-${at}`,
        observations: [`Number ${at} of writer ${writer}.`],
        about: ["Shared"],
      };
      const answer = await ask(client, "memory_remember", args);
      expect(answer).toMatch(/^entity e\d-\d+, new\n/);
    }
  });
  await Promise.all(writers);
  await Promise.all(servers.map((client) => client.close()));

  const { stdout } = await run(["export", "--graph", "--store", "store.db"], { cwd });
  const entities = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; observations: string[] });
  expect(new Set(entities.map(({ name }) => name)).size).toBe(401);
  expect(entities).toHaveLength(401);
  expect(entities.flatMap(({ observations }) => observations)).toHaveLength(400);
}, 120_000);

describe("traces", () => {
  const traceCount = async (cwd: string) => {
    const { stdout } = await run(["export", "--store", "store.db"], { cwd });
    return stdout.split("\n").filter((line) => line.startsWith('{"kind":"trace","workspace"')).length;
  };

  test.each(["stdin's end", "SIGTERM"])("of every answered call are in the store after %s", async (how) => {
    const cwd = folder();
    const server = start(["--store", "store.db"], cwd);
    server.send(initialize);
    await server.answer(1);
    server.send({ method: "notifications/initialized" });
    for (let id = 2; id <= 41; id += 1) {
      server.send({
        id,
        method: "tools/call",
        params: { name: "tool_read", arguments: { name: "workspace_list", args: {} } },
      });
    }
    await server.answer(41);
    if (how === "SIGTERM") server.child.kill("SIGTERM");
    else server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(await traceCount(cwd)).toBe(40);
  });

  test("of calls without a pause are in the store after SIGKILL, except the last ones", async () => {
    const cwd = folder();
    const server = start(["--store", "store.db"], cwd);
    server.send(initialize);
    await server.answer(1);
    server.send({ method: "notifications/initialized" });
    const params = { name: "tool_read", arguments: { name: "workspace_list", args: {} } };
    const ended: number[] = [];
    for (const start = performance.now(); performance.now() - start < 3_000;) {
      const id = ended.length + 2;
      server.send({ id, method: "tools/call", params });
      await server.answer(id);
      ended.push(performance.now());
    }
    server.child.kill("SIGKILL");
    const killed = performance.now();
    await server.ended;
    // Each flush begins 250 ms after its first entry. The rest is time for the flush.
    expect(await traceCount(cwd)).toBeGreaterThanOrEqual(ended.filter((at) => at < killed - 1_000).length);
  });
});
