import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { UpstreamOptions } from "./options.ts";
import type { UpstreamPack } from "./upstream.ts";
import { obedientServer, type GiveArguments } from "./obedient-server.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

function obedient(more: Partial<UpstreamOptions> = {}): UpstreamPack {
  return createUpstream({ name: "own", ...obedientServer(), ...more });
}

function give(client: Client, args: GiveArguments): Promise<CallToolResult> {
  return client.callTool({ name: "tool_invoke", arguments: { name: "own_give", args: { ...args } } });
}

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

test("an invalid response fails its own call only", async () => {
  const { client } = await connectThrough([obedient()]);
  const pid = textOf(await give(client, {}));
  const slow = give(client, { afterMs: 300 });
  const bad = await give(client, { result: { content: [{ type: "video", of: "a cat" }] } });
  expect(textOf(bad)).toMatch(/^internal: own sent an invalid response: .*\nThe call may have had an effect/);
  expect(textOf(await give(client, {}))).toBe(pid);
  expect(textOf(await slow)).toBe(pid);
});

test("a reference of a batch takes the place of a number", async () => {
  const { client } = await connectThrough([obedient()]);
  const first = { id: "first", name: "own_give", args: { result: { content: [json({ ms: 5 })] } } };
  const calls = [first, { name: "own_give", args: { afterMs: "${steps.first.ms}" } }];
  const answer = await client.callTool({ name: "tool_invoke", arguments: { calls } });
  expect(textOf(answer)).toMatch(/^2 succeeded\n/);
});

const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
const json = (value: unknown) => text(JSON.stringify(value));

describe("structured content that", () => {
  const rows = [{ name: "Ada" }, { name: "Grace" }];

  test.each([
    ["says much more than the text", [text("Found 30 rows.")], { rows: Array.from({ length: 30 }, () => rows) }],
    ["comes without content", [], { done: true }],
  ])("%s is added to the content as JSON", async (_, content, structuredContent) => {
    const { client } = await connectThrough([obedient()]);
    for (const isError of [false, true]) {
      const result = await give(client, { result: { content, structuredContent, isError } });
      expect(result.content).toEqual([...content, json(structuredContent)]);
      expect(result.isError ?? false).toBe(isError);
    }
  });

  test.each([
    ["is the text", [json({ rows })]],
    ["repeats the image", [image]],
    ["is the text in other words", [image, text("Found 2 rows: Ada, Grace")]],
  ])("%s is not added", async (_, content) => {
    const { client } = await connectThrough([obedient()]);
    expect((await give(client, { result: { content, structuredContent: { rows } } })).content).toEqual(content);
  });
});

describe("a protocol error is reported", () => {
  test("with its data, which is cut if it is long", async () => {
    const { client } = await connectThrough([obedient()]);
    const error = { code: -32_050, message: "it is locked", data: { by: "Ada", since: 1984 } };
    expect(textOf(await give(client, { error }))).toBe('internal: own: it is locked\n{"by":"Ada","since":1984}');
    expect(textOf(await give(client, { error: { ...error, data: "locked" } }))).toBe("internal: own: it is locked");
    const long = textOf(await give(client, { error: { ...error, data: "x".repeat(100_000) } }));
    expect(long).toMatch(/^internal: own: it is locked\nx+$/);
    expect(long.length).toBeLessThan(1_100);
  });

  test("with the addresses that the user has to open first", async () => {
    const { client } = await connectThrough([obedient()]);
    const elicitation = { mode: "url", elicitationId: "1", message: "Sign in", url: "https://example.com/a?b=1" };
    const error = { code: -32_042, message: "not yet", data: { elicitations: [elicitation, null, 7] } };
    expect(textOf(await give(client, { error }))).toMatch(
      /^unavailable: own: not yet\nSign in https:\/\/example\.com\/a\?b=1\n[^]*Call again when that is done/,
    );
    expect(textOf(await give(client, { error: { ...error, data: { elicitations: 5 } } }))).toContain("own: not yet");
  });
});

test("a link in a prompt can be read through the surface, like a link in a result", async () => {
  const { client } = await connectThrough([obedient()]);
  await give(client, {});
  const { messages } = await client.getPrompt({ name: "own_look" });
  const link = messages.map(({ content }) => content).find(({ type }) => type === "resource_link");
  expect(link).toMatchObject({ name: "one", uri: "toolpacks://own/x://1" });
  const { contents } = await client.readResource({ uri: "toolpacks://own/x://1" });
  expect(contents).toMatchObject([{ text: "the first" }]);
});

describe("the log of a server", () => {
  const listen = () => {
    const lines: string[] = [];
    const pack = obedient({ log: (level, message) => lines.push(`${level}: ${message}`) });
    return { pack, lines };
  };

  test.each([
    ["emergency", "error"],
    ["error", "error"],
    ["warning", "warn"],
    ["notice", "debug"],
    ["debug", "debug"],
  ])("gets a message of level %s as %s", async (level, here) => {
    const { pack, lines } = listen();
    const { client } = await connectThrough([pack]);
    const params = { level, logger: "disk", data: { is: "full\u200b" } };
    await give(client, { notification: { method: "notifications/message", params } });
    expect(lines).toContain(`${here}: disk: {"is":"full"}`);
  });
});
