import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { modernSite, serve, sessionSite, sseSite } from "./http.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

function invoke(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  return client.callTool({ name: "tool_invoke", arguments: { name, args } });
}

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

test("a server of the 2026 protocol is spoken to in it", async () => {
  const site = await serve(modernSite());
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("modern hi");
  expect(site.seen.at(-1)?.headers["mcp-protocol-version"]).toBe("2026-07-28");
});

test("a server of an older protocol keeps its session, and is met anew when it has forgotten it", async () => {
  const { handle, forget } = sessionSite();
  const site = await serve(handle);
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("first hi");
  expect(site.seen.at(-1)?.headers["mcp-session-id"]).toBeDefined();
  forget();
  expect(textOf(await invoke(client, "web_say", { text: "again" }))).toBe("first again");
});

test.each([{ transport: "sse" as const }, {}])("a server of the oldest transport is reached with %j", async (more) => {
  const site = await serve(sseSite(), "/sse");
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, ...more })]);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("first hi");
});

describe("who calls is said", () => {
  test("with a bearer token, at every request", async () => {
    const site = await serve(modernSite());
    const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, auth: { token: "t0k" } })]);
    await invoke(client, "web_say");
    expect(new Set(site.seen.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer t0k"]));
  });

  test("with headers as they are given", async () => {
    const site = await serve(modernSite());
    const headers = { Authorization: "Token x", "X-Team": "blue" };
    const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, headers })]);
    await invoke(client, "web_say");
    expect(site.seen.every((one) => one.headers.authorization === "Token x" && one.headers["x-team"] === "blue")).toBe(
      true,
    );
  });
});

test("a server that is not there is one unavailable, and is there once it is", async () => {
  const site = await serve(async (_, response) => void response.writeHead(503).end());
  const pack = createUpstream({ name: "web", url: site.url });
  const { client } = await connectThrough([pack]);
  expect(textOf(await invoke(client, "web_say"))).toMatch(/^unavailable: web_say cannot be called: web is down/);
});

test("an answer that is too large is one too_large", async () => {
  const site = await serve(modernSite());
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, maxResultBytes: 1_000_000 })]);
  expect(textOf(await invoke(client, "web_much"))).toMatch(/^too_large: the answer is larger than 1,000,000 bytes/);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("modern hi");
});

test("a call that hangs is one unavailable after its time, and frees a caller who leaves", async () => {
  const site = await serve(modernSite());
  const quick = await connectThrough([createUpstream({ name: "web", url: site.url, timeoutSeconds: 0.3 })]);
  expect(textOf(await invoke(quick.client, "web_hang"))).toMatch(/^unavailable: web took longer than 0\.3 s/);
  const patient = createUpstream({ name: "web", url: site.url });
  const hang = (await patient.tools()).find(({ name }) => name === "web_hang");
  const leave = new AbortController();
  const call = Promise.resolve(hang?.run({}, { signal: leave.signal, progress: async () => {} }));
  const before = site.seen.length;
  await expect.poll(() => site.seen.length).toBeGreaterThan(before);
  leave.abort(new Error("I left"));
  await expect(call).rejects.toThrow("I left");
});

test("a server that asks for a sign-in is named, with how to sign in", async () => {
  const site = await serve(async (_, response) => void response.writeHead(401).end());
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
  expect(textOf(await invoke(client, "web_say"))).toMatch(/^unavailable: .*web/s);
});
