import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "existing-server-"));
  writeFileSync(path.join(folder, "a.txt"), "Water the plants.");
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each(["sdk-1.ts", "sdk-2.ts"])("the server %s has its own tool and the tools of both packs", async (file) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      "--conditions=@toolpacks/source",
      path.join(import.meta.dirname, file),
      folder,
      path.join(folder, "notes.db"),
    ],
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  try {
    const call = async (name: string, args: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: args })).content);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["greet", "fs_read", "store_put"]));
    expect(names).not.toContain("fs_write");
    expect(await call("greet", { name: "Ada" })).toContain("Hello Ada");
    expect(await call("fs_read", { path: "a.txt" })).toContain("Water the plants.");
    await call("store_put", { kind: "note", record: { text: "Feed the cat." } });
    expect(await call("store_query", { kind: "note" })).toContain("Feed the cat.");
  } finally {
    await client.close();
  }
});
