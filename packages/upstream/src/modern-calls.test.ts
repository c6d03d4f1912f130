import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { inMemoryServer } from "./in-memory.fixture.ts";
import { createModernServer } from "./modern-server.fixture.ts";
import { connectDirectly, connectThrough, createUpstream } from "./wire.fixture.ts";

const modern = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
const asking = { ...modern, capabilities: { elicitation: { form: {} } } };

const create = () => createUpstream({ name: "modern", ...inMemoryServer(createModernServer) });
const called = (name: string) => ({ name: "tool_invoke", arguments: { name: `modern_${name}` } });
const invoke = (client: Client, name: string) => client.callTool(called(name));
const text = ({ content }: CallToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join();

describe("a call of a server of the 2026 protocol", () => {
  test.each(["say", "note", "draw", "fail", "ask", "count", "nothing"])(
    "of %s is answered as directly",
    async (name) => {
      const direct = await connectDirectly(inMemoryServer(createModernServer).open(), asking);
      const { client } = await connectThrough([create()], asking);
      for (const one of [direct, client]) {
        one.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
      }
      if (name === "nothing") {
        await expect(direct.callTool({ name, arguments: {} })).rejects.toThrow("nothing");
        expect(text(await invoke(client, name))).toContain("modern_nothing");
        return;
      }
      const { content, isError } = await direct.callTool({ name, arguments: {} });
      expect(await invoke(client, name)).toMatchObject({ content, ...(isError && { isError }) });
    },
  );

  test("returns structured content as text if there is no text", async () => {
    const { client } = await connectThrough([create()], modern);
    expect(text(await invoke(client, "structure"))).toBe('{"n":1}');
  });

  test("passes each question of the server to the user of its call", async () => {
    const { client } = await connectThrough([create()], asking);
    let asked = 0;
    client.setRequestHandler("elicitation/create", () => {
      asked += 1;
      return { action: "accept", content: { name: `user ${asked}` } };
    });
    expect(text(await invoke(client, "ask"))).toBe("hello user 1");
    expect(text(await invoke(client, "ask"))).toBe("hello user 2");
  });

  test("reports its progress", async () => {
    const { client } = await connectThrough([create()], modern);
    const seen: unknown[] = [];
    await client.callTool(called("count"), { onprogress: (progress) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
  });

  test("is cancelled at the server too", async () => {
    const { client } = await connectThrough([create()], modern);
    await invoke(client, "say");
    const leave = new AbortController();
    const call = client.callTool(called("hang"), { signal: leave.signal });
    await expect.poll(async () => text(await invoke(client, "cancelled"))).toBe("0");
    leave.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(async () => text(await invoke(client, "cancelled"))).toBe("1");
  });
});
