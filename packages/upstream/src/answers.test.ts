import { fileURLToPath } from "node:url";
import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import type { UpstreamOptions, UpstreamPack } from "./index.ts";
import type { Given } from "./obedient-server.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

const program = fileURLToPath(new URL("./obedient-server.fixture.ts", import.meta.url));

function obedient(more: Partial<UpstreamOptions> = {}): UpstreamPack {
  return createUpstream({ name: "own", command: process.execPath, args: [program], ...more });
}

function give(client: Client, args: Given): Promise<CallToolResult> {
  return client.callTool({ name: "tool_invoke", arguments: { name: "own_give", args: { ...args } } });
}

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

test("an answer that cannot be read is that call's alone", async () => {
  const { client } = await connectThrough([obedient()]);
  const pid = textOf(await give(client, {}));
  const slow = give(client, { afterMs: 300 });
  const bad = await give(client, { result: { content: [{ type: "video", of: "a cat" }] } });
  expect(textOf(bad)).toMatch(/^internal: own answered with what cannot be read: .*\nThe call may have had an effect/);
  expect(textOf(await give(client, {}))).toBe(pid);
  expect(textOf(await slow)).toBe(pid);
});
