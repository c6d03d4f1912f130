import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { cli, dataFolder, folder } from "./command.fixture.ts";

test.each([
  ["answers SQL over the results of another server", [], /n\n1999\n/],
  [
    "on a Node without node:sqlite ends a query with an error that says so",
    ["--no-experimental-sqlite"],
    /unavailable: query: this Node v\S+ has no node:sqlite\nUse grep, lines or pick\./,
  ],
])("toolpacks relay %s", async (_, nodeFlags, expected) => {
  const rows = Array.from({ length: 2_000 }, (_, id) => `${id},team ${id % 7}`).join("\n");
  const cwd = folder({ "a.csv": `id,team\n${rows}\n` });
  const server = path.resolve("apps/server/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
  const args = [...nodeFlags, cli, "relay", "--", process.execPath, server, cwd];
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env: dataFolder, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  const text = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  const [handle] = /relay:\/\/\w+/.exec(await text("read_text_file", { path: path.join(cwd, "a.csv") })) ?? [];
  const answer = await text("relay_read", { handle, pattern: "SELECT max(id) AS n FROM t" });
  expect(answer).toMatch(expected);
});
