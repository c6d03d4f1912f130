import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { bareSite } from "./bare-site.fixture.ts";
import { modernSite, serve, sessionSite, sseSite, type Site } from "./http.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

function invoke(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  return client.callTool({ name: "tool_invoke", arguments: { name, args } });
}

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

test("a server of the 2026 protocol is called with this protocol", async () => {
  const site = await serve(modernSite());
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("modern hi");
  expect(site.seen.at(-1)?.headers["mcp-protocol-version"]).toBe("2026-07-28");
});

test("a session of an older protocol is kept, and replaced when the server has lost it", async () => {
  const { handle, forget } = sessionSite();
  const site = await serve(handle);
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("first hi");
  expect(site.seen.at(-1)?.headers["mcp-session-id"]).toBeDefined();
  forget();
  expect(textOf(await invoke(client, "web_say", { text: "again" }))).toBe("first again");
});

test.each([{ transport: "sse" as const }, {}])("a server of the SSE transport is reached with %j", async (more) => {
  const { handle, forget } = sseSite();
  const site = await serve(handle, "/sse");
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, ...more })]);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("first hi");
  forget();
  expect(textOf(await invoke(client, "web_say", { text: "again" }))).toBe("first again");
});

describe("requests are authenticated", () => {
  test("each with the bearer token", async () => {
    const site = await serve(modernSite());
    const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, auth: { token: "t0k" } })]);
    await invoke(client, "web_say");
    expect(new Set(site.seen.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer t0k"]));
  });

  test("each with the configured headers", async () => {
    const site = await serve(modernSite());
    const headers = { Authorization: "Token x", "X-Team": "blue" };
    const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, headers })]);
    await invoke(client, "web_say");
    expect(site.seen.every((one) => one.headers.authorization === "Token x" && one.headers["x-team"] === "blue")).toBe(
      true,
    );
  });
});

test("a call of a server that is down fails with unavailable", async () => {
  const site = await serve(async (_, response) => void response.writeHead(503).end());
  const pack = createUpstream({ name: "web", url: site.url });
  const { client } = await connectThrough([pack]);
  expect(textOf(await invoke(client, "web_say"))).toMatch(/^unavailable: web_say cannot be called: web is down/);
});

test("a response over the limit fails with too_large, and the next call works", async () => {
  const site = await serve(modernSite());
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, maxResultBytes: 1_000_000 })]);
  expect(textOf(await invoke(client, "web_much"))).toMatch(/^too_large: the response is larger than 1,000,000 bytes/);
  expect(textOf(await invoke(client, "web_say", { text: "hi" }))).toBe("modern hi");
});

test("a call that hangs fails with unavailable at its timeout, and can be cancelled", async () => {
  const site = await serve(modernSite());
  const quick = await connectThrough([createUpstream({ name: "web", url: site.url, timeoutSeconds: 0.3 })]);
  expect(textOf(await invoke(quick.client, "web_hang"))).toMatch(/^unavailable: web took longer than 0\.3 s/);
  const untimed = createUpstream({ name: "web", url: site.url });
  const hang = (await untimed.tools()).find(({ name }) => name === "web_hang");
  const leave = new AbortController();
  const call = Promise.resolve(hang?.run({}, { signal: leave.signal, progress: async () => {}, principal: "" }));
  const before = site.seen.length;
  await expect.poll(() => site.seen.length).toBeGreaterThan(before);
  leave.abort(new Error("I left"));
  await expect(call).rejects.toThrow("I left");
});

test("the error of a server that requires a sign-in names the server", async () => {
  const site = await serve(async (_, response) => void response.writeHead(401).end());
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
  expect(textOf(await invoke(client, "web_say"))).toMatch(/^unavailable: .*web/s);
});

describe("during other calls of the same server", () => {
  const started = (site: Site) => site.seen.filter((one) => one.method === "POST").length;

  test.each([
    ["403", /^denied: web answered with HTTP 403: for a reason/],
    ["429", /^unavailable: web answered with HTTP 429: for a reason\n.*[Ww]ait/],
    ["500", /^unavailable: web answered with HTTP 500: for a reason\nTry again later/],
    ["page", /^internal: web sent an invalid response: .*text\/html/],
  ])("a response of %s fails its own call only", async (name, message) => {
    const { handle, calls } = bareSite();
    const site = await serve(handle);
    const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
    const slow = invoke(client, "web_slow");
    await expect.poll(() => calls).toContain("slow");
    expect(textOf(await invoke(client, `web_${name}`))).toMatch(message);
    const before = started(site);
    expect(textOf(await invoke(client, "web_say"))).toBe("bare say");
    expect(started(site)).toBe(before + 1);
    expect(textOf(await slow)).toBe("bare slow");
  });

  test.each([
    { status: 404, words: "" },
    { status: 400, words: "Bad Request: No valid session ID provided" },
  ])("a session lost with $status is replaced once for all new calls, and a running call finishes", async (lost) => {
    const { handle, forget, calls } = bareSite(lost);
    const site = await serve(handle);
    const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
    const slow = invoke(client, "web_slow");
    await expect.poll(() => calls).toContain("slow");
    forget();
    const results = await Promise.all(["say", "slow", "say"].map((name) => invoke(client, `web_${name}`)));
    expect(results.map(textOf)).toEqual(["bare say", "bare slow", "bare say"]);
    expect(textOf(await slow)).toBe("bare slow");
    const sessions = new Set(site.seen.map(({ headers }) => headers["mcp-session-id"]));
    sessions.delete(undefined);
    expect(sessions.size).toBe(2);
  });
});

test("a session is ended at the server when it is idle, and when the pack ends", async () => {
  const { handle } = sessionSite();
  const site = await serve(handle);
  const ended = () =>
    site.seen.filter(({ method }) => method === "DELETE").map(({ headers }) => headers["mcp-session-id"]);
  const pack = createUpstream({ name: "web", url: site.url, idleSeconds: 0.2 });
  const { client } = await connectThrough([pack]);
  await invoke(client, "web_say");
  const session = site.seen.findLast(({ method }) => method === "POST")?.headers["mcp-session-id"];
  await expect.poll(ended).toEqual([session]);
  await invoke(client, "web_say");
  await pack.remote.end();
  await expect.poll(ended).toHaveLength(2);
});
