import type { Client } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "vitest";
import { connectServer } from "./connect-server.ts";
import { modernSite, serve, sseSite } from "./http.fixture.ts";

let client: Client | undefined;
afterEach(() => client?.close());

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
