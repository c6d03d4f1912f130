import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { UpstreamOptions } from "./options.ts";
import { roughServer, type Manner } from "./rough.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

function rough(manner: Manner, more: Partial<UpstreamOptions> = {}) {
  const { open, instances } = roughServer(manner);
  return { pack: createUpstream({ name: "rough", open, ...more }), instances };
}

const good = () => createUpstream({ name: "good", open: roughServer().open });

function invoke(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  return client.callTool({ name: "tool_invoke", arguments: { name, args } });
}

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

async function expectGoodServer(client: Client): Promise<void> {
  expect(textOf(await invoke(client, "good_say", { text: "well" }))).toContain('"text":"well"');
}

describe("an upstream that", () => {
  test("hangs in a call fails it with unavailable at its timeout, and is restarted after two", async () => {
    const { pack, instances } = rough("plain", { timeoutSeconds: 0.3 });
    const { client } = await connectThrough([pack, good()]);
    for (let times = 0; times < 2; times += 1) {
      const result = await invoke(client, "rough_hang");
      expect(textOf(result)).toMatch(/^unavailable: rough took longer than 0.3 s, and the call was cancelled/);
      await expectGoodServer(client);
    }
    expect(textOf(await invoke(client, "rough_say"))).toContain("instance");
    expect(instances).toHaveLength(2);
  });

  test("dies during a call fails it with unavailable, and is restarted for the next call", async () => {
    const { pack, instances } = rough("plain");
    const { client } = await connectThrough([pack, good()]);
    const result = await invoke(client, "rough_die");
    expect(textOf(result)).toMatch(/^unavailable: rough stopped during the call/);
    await expectGoodServer(client);
    expect(textOf(await invoke(client, "rough_say"))).toContain("instance");
    expect(instances).toHaveLength(2);
  });

  test("returns ids and progress tokens as strings still answers", async () => {
    const { client } = await connectThrough([rough("text_ids").pack]);
    const seen: unknown[] = [];
    const onprogress = (progress: unknown) => seen.push(progress);
    const result = await client.callTool({ name: "tool_invoke", arguments: { name: "rough_say" } }, { onprogress });
    expect(textOf(result)).toBe("answered");
    expect(seen).toEqual([{ progress: 1 }]);
  });

  test.each<[Manner, RegExp]>([
    ["many", /lists more than 1000 tools/],
    ["endless", /its tools\/list does not end/],
    ["circle", /its tools\/list does not end/],
  ])("lists too many tools (%s) offers none, and the error says why", async (manner, why) => {
    const { pack } = rough(manner);
    const { client } = await connectThrough([pack, good()]);
    const result = textOf(await invoke(client, "rough_say"));
    expect(result).toMatch(/^unavailable: rough_say cannot be called: rough is down/);
    expect(result).toMatch(why);
    await expectGoodServer(client);
  });

  test("lists invalid tools offers the valid ones", async () => {
    const { pack } = rough("nonsense");
    expect((await pack.tools()).map(({ name }) => name)).toEqual(["rough_say"]);
  });

  test("never responds delays the first list only, up to firstListTimeoutSeconds", async () => {
    const firstListTimeoutSeconds = 2;
    const { pack } = rough("silent", { firstListTimeoutSeconds, connectSeconds: 30 });
    const { client } = await connectThrough([pack, good()]);
    await expectGoodServer(client);
    const began = performance.now();
    expect(textOf(await invoke(client, "rough_say"))).toMatch(/^unavailable: .*it has not answered yet/);
    await expectGoodServer(client);
    expect(performance.now() - began).toBeLessThan(firstListTimeoutSeconds * 1_000);
  });

  test("is slow to start is awaited by ready()", async () => {
    const { pack } = rough("slow", { firstListTimeoutSeconds: 0 });
    expect(await pack.tools()).toEqual([]);
    await pack.ready();
    expect((await pack.tools()).map(({ name }) => name)).toContain("rough_say");
  });

  test("responds with a protocol error fails the call with its message", async () => {
    const { pack } = rough("plain");
    const { client } = await connectThrough([pack]);
    expect(textOf(await invoke(client, "rough_fail"))).toMatch(/^internal: rough: .*the disk is full/);
  });
});
