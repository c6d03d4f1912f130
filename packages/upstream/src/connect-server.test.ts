import type { Client } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "vitest";
import { connectServer } from "./connect-server.ts";
import { modernSite, serve, sseSite } from "./http.fixture.ts";
import { folder, official } from "./wire.fixture.ts";

let client: Client | undefined;
afterEach(() => client?.close());

test("connectServer lists a program's tools under their own names", async () => {
  const args = [official("filesystem"), folder()];
  client = await connectServer({ name: "files", command: process.execPath, args });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("read_text_file");
  const answer = await client.callTool({ name: "list_allowed_directories", arguments: {} });
  expect(JSON.stringify(answer.content)).toContain(args[1]);
});

test.each([
  ["streamable HTTP", () => serve(modernSite())],
  ["the oldest transport", () => serve(sseSite().handle, "/sse")],
])("connectServer reaches a server over %s", async (_, start) => {
  const { url } = await start();
  client = await connectServer({ name: "web", url });
  const { content } = await client.callTool({ name: "say", arguments: { text: "hi" } });
  expect(content).toMatchObject([{ type: "text", text: expect.stringMatching(/ hi$/) }]);
});

test("connectServer names the server that it cannot reach, and the wrong option", async () => {
  await expect(connectServer({ name: "gone", command: "no-such-command" })).rejects.toThrow(
    "gone cannot be started: command not found: no-such-command",
  );
  await expect(connectServer({ name: "lost", command: process.execPath, cwd: "/no/such/folder" })).rejects.toThrow(
    "lost cannot be started: cwd: the folder /no/such/folder does not exist",
  );
  await expect(connectServer({ name: "gone", url: "ftp://x" })).rejects.toThrow("upstream: url: ");
});
