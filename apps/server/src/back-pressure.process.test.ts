import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, folder, initialize } from "./command.fixture.ts";

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const megabytesOf = (pid: number) => Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) / 1024;

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

// The tests wait for seconds, so they run concurrently.
describe.concurrent.each(["1", "2"])("toolpacks on SDK %s", (sdk) => {
  test("uses little memory while a client does not read, and sends every answer when it reads", async () => {
    const cwd = folder({ "large.txt": `${"x".repeat(120)}\n`.repeat(1_500) });
    const child = spawn(process.execPath, [cli, "--root", cwd, "--facet", "filesystem", "--sdk", sdk], {
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
    const client = new ModernClient({ name: "test", version: "1" });
    const args = [cli, "--root", cwd, "--write", "--facet", "filesystem", "--sdk", sdk];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "ignore" }));
    const write = (characters: number) =>
      client.callTool({ name: "fs_write", arguments: { path: "text.txt", content: "щ".repeat(characters) } });
    expect(JSON.stringify((await write(6_000_000)).content)).toContain("12000000 bytes");
    await expect(write(40_000_000)).rejects.toThrow("larger than 67,108,864 bytes");
    const listed = await client.callTool({ name: "fs_list", arguments: {} });
    expect(listed.isError ?? false).toBe(false);
    await client.close();
  });
});
