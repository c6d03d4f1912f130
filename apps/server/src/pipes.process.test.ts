import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { note } from "@toolpacks/planner";
import { sqlite } from "@toolpacks/store-sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, run, start } from "./command.process.fixture.ts";
import { folder } from "./run-cli.fixture.ts";
import { initialize } from "./initialize.fixture.ts";
import { connectServer } from "./serve.fixture.ts";
import { roughPack } from "./rough-pack.fixture.ts";

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

/** Resident memory of a process; 0 when the system does not report it. */
function megabytesOf(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return 0;
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1]) / 1024;
}

/** A server that answers each call with 6 MB, and counts in a file the responses that were read to their end. */
const largeServer = `
const { writeFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const text = "x".repeat(6_000_000);
let read = 0;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const send = (rest, done) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\\n", done);
  const serverInfo = { name: "large", version: "1" };
  if (method === "initialize") send({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  else if (method === "tools/list") send({ result: { tools: [{ name: "give", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") {
    send({ result: { content: [{ type: "text", text }] } }, () => writeFileSync("read.txt", String((read += 1))));
  } else if (id !== undefined) send({ error: { code: -32601, message: "no such method" } });
});`;

test("large results of other servers stay at these servers while the client does not read", async () => {
  const mcpServers = { large: { command: process.execPath, args: ["server.cjs"] } };
  const cwd = folder({
    "server.cjs": largeServer,
    "config.json": JSON.stringify({ relay: false, mcpServers }),
    "read.txt": "0",
  });
  const args = ["--config", "config.json", "--root", cwd, "--store", "store.db"];
  const env = { ...process.env, XDG_DATA_HOME: cwd, XDG_CACHE_HOME: cwd };
  const child = spawn(process.execPath, [cli, ...args], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill());
  const count = 36;
  const read = () => Number(readFileSync(path.join(cwd, "read.txt"), "utf8"));
  child.stdin.write(line(initialize));
  child.stdin.write(line({ method: "notifications/initialized" }));
  const params = { name: "tool_invoke", arguments: { name: "large_give" } };
  for (let id = 2; id < count + 2; id += 1) child.stdin.write(line({ id, method: "tools/call", params }));
  await expect.poll(read, { timeout: 30_000 }).toBeGreaterThan(0);
  let peak = 0;
  for (let second = 0; second < 5; second += 1) {
    await wait(1_000);
    peak = Math.max(peak, megabytesOf(child.pid ?? 0));
  }
  expect(read()).toBeLessThan(18);
  expect(peak).toBeLessThan(600);
  const answered = new Set<number>();
  for await (const text of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(text) as { id?: number; result?: { isError?: boolean } };
    expect(result?.isError ?? false).toBe(false);
    if (id !== undefined) answered.add(id);
    if (answered.size === count + 1) break;
  }
});

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

describe("toolpacks", () => {
  test("uses little memory while a client does not read, and sends every answer when it reads", async () => {
    const cwd = folder({ "large.txt": `${"x".repeat(120)}\n`.repeat(1_500) });
    const child = spawn(process.execPath, [cli, "--root", cwd, "--facet", "filesystem"], {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const count = 2_500;
    const params = { name: "fs_read", arguments: { path: "large.txt" } };
    child.stdin.write(line(initialize));
    child.stdin.write(line({ method: "notifications/initialized" }));
    for (let id = 2; id < count + 2; id += 1) child.stdin.write(line({ id, method: "tools/call", params }));
    let peak = 0;
    for (let second = 0; second < 3; second += 1) {
      await wait(1_000);
      peak = Math.max(peak, megabytesOf(child.pid ?? 0));
    }
    expect(peak).toBeLessThan(350);
    // The client has not read anything, so most of its calls have not been read either.
    expect(child.stdin.writableLength).toBeGreaterThan(100_000);
    let bytes = 0;
    const seen = new Set<number>();
    for await (const text of createInterface({ input: child.stdout })) {
      bytes += text.length;
      const { id, result } = JSON.parse(text) as { id?: number; result?: { isError?: boolean } };
      expect(result?.isError ?? false).toBe(false);
      if (id !== undefined) seen.add(id);
      if (seen.size === count + 1) break;
    }
    expect(bytes).toBeGreaterThan(400_000_000);
    child.kill();
  });

  test("accepts a call of 12 MB, and answers a larger one with an error that names the limit", async () => {
    const cwd = folder();
    const args = ["--root", cwd, "--write", "--facet", "filesystem"];
    const { client } = await connectServer(args, { cwd });
    const write = (characters: number) =>
      client.callTool({ name: "fs_write", arguments: { path: "text.txt", content: "щ".repeat(characters) } });
    expect(JSON.stringify((await write(6_000_000)).content)).toContain("12000000 bytes");
    await expect(write(40_000_000)).rejects.toThrow("larger than 67,108,864 bytes");
    const listed = await client.callTool({ name: "fs_list", arguments: {} });
    expect(listed.isError ?? false).toBe(false);
    await client.close();
  });
});

/** Prints in every possible way, and leaves a rejection unhandled. */
const loudPack = roughPack.replace(
  'console.log("printed by a tool");',
  `console.dir({ by: "dir" }); console.table([{ by: "table" }]); console.group("group"); console.count();
   process.stdout.write("printed by a tool\\n"); void Promise.reject(new Error("forgotten"));`,
);

test("a pack's writes to stdout go to stderr, and the server keeps running", async () => {
  const cwd = folder({ "loud.mjs": loudPack, "toolpacks.config.json": '{ "packs": { "./loud.mjs": {} } }' });
  const server = start([], cwd);
  server.send(initialize);
  await server.answer(1);
  server.send({ method: "notifications/initialized" });
  server.send({ id: 2, method: "tools/call", params: { name: "tool_invoke", arguments: { name: "rough_print" } } });
  await server.answer(2);
  server.send({ id: 3, method: "ping" });
  await server.answer(3);
  server.child.stdin.end();
  expect(await server.ended).toBe(0);
  for (const line of server.output.stdout.split("\n").filter(Boolean)) {
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  }
  for (const word of ["dir", "table", "group", "printed by a tool", "forgotten"]) {
    expect(server.output.stderr).toContain(word);
  }
});

describe("the process ends cleanly", () => {
  const ends = ["stdout", "SIGTERM", ...(isCampaign ? ["SIGINT", "stdin"] : [])];
  test.each(ends as ("stdin" | "stdout" | NodeJS.Signals)[])(
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

/** A folder with a store of some 200 KB in it, `s.db`. */
async function withStore(): Promise<string> {
  const cwd = folder();
  const store = sqlite(path.join(cwd, "s.db"));
  await store.transaction(async (inside) => {
    for (let at = 0; at < 200; at += 1) await inside.put(note, { text: "x".repeat(1_000) });
  });
  await store.end();
  return cwd;
}

test("export ends without an error when the reader closes the pipe", async () => {
  const { child, output, ended } = start(["export", "--store", "s.db"], await withStore());
  child.stdout.once("data", () => child.stdout.destroy());
  expect(await ended).toBe(0);
  expect(output.stderr).toBe("");
});

const fullDisk = "toolpacks: unavailable: stdout: the disk is full; the output is not complete\n";

const toFullDisk = isCampaign ? ["export --store s.db", "config schema", "--help"] : ["export --store s.db"];

test.skipIf(!existsSync("/dev/full")).each(toFullDisk)(
  "toolpacks %s fails when stdout is a full disk",
  async (args) => {
    const cwd = await withStore();
    const script = `exec "$0" "$@" > /dev/full`;
    const command = ["-c", script, process.execPath, cli, ...args.split(" ")];
    const { status, stderr } = spawnSync("sh", command, { cwd, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 1, stderr: fullDisk });
  },
);

test.skipIf(process.platform === "win32" || !isCampaign).each([
  ["export --store s.db", 102_400],
  ["config schema", 1_024],
])("toolpacks %s fails when only the first bytes of its output can be written to a file", async (args, maxBytes) => {
  const cwd = await withStore();
  const script = `ulimit -f ${maxBytes / 512}; exec "$0" "$@" > out`;
  const { status, stderr } = spawnSync("sh", ["-c", script, process.execPath, cli, ...args.split(" ")], {
    cwd,
    encoding: "utf8",
  });
  expect(statSync(path.join(cwd, "out")).size).toBe(maxBytes);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "toolpacks: unavailable: stdout: EFBIG: file too large, write; the output is not complete\n",
  });
});

test.skipIf(!isCampaign)("doctor reports a read-only store", async () => {
  const cwd = await withStore();
  chmodSync(path.join(cwd, "s.db"), 0o444);
  chmodSync(cwd, 0o555);
  const options = { cwd, obeysModes: true };
  expect(await run(["doctor", "--store", "s.db"], options)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`✗ the store may only be read: ${cwd}/s.db may not be written to`),
  });
  expect((await run(["doctor", "--store", "new.db"], options)).stdout).toContain(
    `✗ the store cannot be made: ${cwd} may not be written to`,
  );
  chmodSync(cwd, 0o755);
});
