import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { modernSite, serve, sessionSite, type Site } from "./http.fixture.ts";
import { connectRemote } from "./index.ts";
import { folder } from "./wire.fixture.ts";

interface Message {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Connects to a server over HTTP, with one message per line. */
async function talk(url: string, headers: Record<string, string> = {}) {
  const errors: unknown[] = [];
  const remote = await connectRemote({ url, headers, dataDirectory: folder(), onError: (error) => errors.push(error) });
  onTestFinished(() => remote.close());
  let output = "";
  remote.stdout.setEncoding("utf8").on("data", (piece: string) => (output += piece));
  const messages = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  const send = (message: object) => remote.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ended = once(remote.stdout, "end");
  return {
    remote,
    ended,
    errors,
    messages,
    send,
    ask: async (id: number, method: string, params: object) => {
      send({ id, method, params });
      for (;;) {
        const answer = messages().find((one) => one.id === id);
        if (answer !== undefined) return answer;
        await wait(5);
      }
    },
  };
}

/** A site that responds when `answer` is called. */
function slowSite() {
  const waiting = new Map<number, () => void>();
  return {
    handle: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { id } = JSON.parse(await text(request)) as Message;
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      await new Promise<void>((resolve) => waiting.set(id, resolve));
      const body = JSON.stringify({ jsonrpc: "2.0", id, result: { slow: true } });
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    },
    answer: async (id: number) => {
      while (!waiting.has(id)) await wait(5);
      waiting.get(id)?.();
    },
  };
}

const clientInfo = { name: "test", version: "1.0.0" };
const opening = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const methods = ({ seen }: Site) => seen.map(({ method }) => method);

describe("connectRemote", () => {
  test("keeps a session of an older protocol, and ends it on close", async () => {
    const { handle, forget } = sessionSite();
    const site = await serve(handle);
    const { ask, send, remote } = await talk(site.url, { "x-mine": "yes" });
    expect(await ask(1, "initialize", opening)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    send({ method: "notifications/initialized" });
    const messages = await ask(2, "tools/call", { name: "say", arguments: { text: "this" } });
    expect(messages).toMatchObject({ result: { content: [{ text: "first this" }] } });
    const { headers } = site.seen.at(-1) ?? {};
    expect(headers).toMatchObject({
      "x-mine": "yes",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": expect.any(String),
    });

    forget();
    expect(await ask(3, "tools/call", { name: "say", arguments: {} })).toMatchObject({ error: { code: -32_000 } });
    await remote.close();
    expect(methods(site)).toContain("DELETE");
  });

  test("ends though the server does not acknowledge the end of the session", async () => {
    const { handle } = sessionSite();
    const site = await serve((request, response) =>
      request.method === "DELETE" ? Promise.resolve() : handle(request, response),
    );
    const { ask, remote } = await talk(site.url);
    await ask(1, "initialize", opening);
    const start = performance.now();
    await remote.close();
    expect(performance.now() - start).toBeLessThan(4_000);
    expect(methods(site)).toContain("DELETE");
  });

  test("uses the 2026 protocol if the client does", async () => {
    const site = await serve(modernSite());
    const { ask } = await talk(site.url);
    expect(await ask(1, "server/discover", { _meta: envelope })).toMatchObject({
      result: { supportedVersions: ["2026-07-28"] },
    });
    const call = { name: "say", arguments: { text: "this" }, _meta: envelope };
    expect(await ask(2, "tools/call", call)).toMatchObject({ result: { content: [{ text: "modern this" }] } });
    expect(site.seen.at(-1)?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "say",
    });
  });

  test("waits on closing for pending responses, but not for cancelled requests and subscriptions", async () => {
    const { handle, answer } = slowSite();
    const { send, remote, messages, ended } = await talk((await serve(handle)).url);
    send({ id: 1, method: "tools/call", params: { name: "slow" } });
    send({ id: 2, method: "tools/call", params: { name: "slow" } });
    send({ method: "notifications/cancelled", params: { requestId: 2 } });
    send({ id: 3, method: "subscriptions/listen", params: { _meta: envelope } });
    const closed = remote.close(60_000);
    await answer(1);
    await closed;
    await ended;
    expect(messages()).toEqual([
      { jsonrpc: "2.0", id: 1, result: { slow: true } },
      { jsonrpc: "2.0", id: 3, error: { code: -32_000, message: expect.stringContaining("closed before") } },
    ]);
  });

  test("answers pending requests with an error at the shutdown timeout", async () => {
    const { send, remote, messages, ended } = await talk((await serve(slowSite().handle)).url);
    send({ id: 1, method: "tools/call", params: { name: "slow" } });
    await remote.close(50);
    await ended;
    expect(messages()).toMatchObject([{ id: 1, error: { code: -32_000 } }]);
  });

  test("answers requests with an error that wait behind an unanswered notification", async () => {
    const site = await serve(() => new Promise(() => {}));
    const { send, remote, messages, ended } = await talk(site.url);
    send({ method: "notifications/initialized" });
    send({ id: 1, method: "tools/call", params: { name: "slow" } });
    await remote.close(50);
    await ended;
    expect(messages()).toMatchObject([{ id: 1, error: { code: -32_000 } }]);
  });

  test.each(["application/json", "text/event-stream"])(
    "answers a %s response that is too large with an error, and goes on",
    async (type) => {
      let count = 0;
      const site = await serve(async (request, response) => {
        const { id } = JSON.parse(await text(request)) as Message;
        count += 1;
        response.writeHead(200, { "content-type": count === 1 ? type : "application/json" });
        if (count > 1) {
          response.end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
          return;
        }
        const chunk = Buffer.alloc(1_000_000, "x");
        response.write(`${type === "application/json" ? "" : "data: "}{"jsonrpc":"2.0","id":1,"result":{"text":"`);
        const send = () => {
          let hasRoom = true;
          while (hasRoom && !response.destroyed) hasRoom = response.write(chunk);
        };
        response.on("drain", send);
        send();
      });
      const { ask } = await talk(site.url);
      const before = process.memoryUsage.rss();
      const message = expect.stringContaining("larger than 67,108,864 bytes") as string;
      expect(await ask(1, "tools/call", { name: "any" })).toMatchObject({ error: { message } });
      expect(process.memoryUsage.rss() - before).toBeLessThan(700_000_000);
      expect(await ask(2, "ping", {})).toMatchObject({ result: {} });
    },
  );

  test("answers a request that is too large with an error", async () => {
    const { messages, remote } = await talk((await serve(modernSite())).url);
    remote.stdin.write(
      `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"text":"${"x".repeat(70_000_000)}"}}\n`,
    );
    await expect
      .poll(messages)
      .toMatchObject([{ id: 5, error: { message: expect.stringContaining("67,108,864 bytes") } }]);
  });

  test("refuses requests while many bytes of earlier ones wait for responses", async () => {
    const { answer, handle } = slowSite();
    const { remote, messages } = await talk((await serve(handle)).url);
    const large = "x".repeat(20_000_000);
    for (let id = 1; id <= 5; id += 1) {
      remote.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { large } })}\n`);
    }
    const error = { message: expect.stringContaining("67,108,864 bytes of requests wait") as string };
    await expect.poll(messages).toMatchObject([{ id: 5, error }]);
    for (const id of [1, 2, 3, 4]) await answer(id);
    await expect.poll(() => messages().length).toBe(5);
  });

  test("answers a request that cannot be sent with an error, and goes on", async () => {
    const { ask, errors, remote } = await talk("http://127.0.0.1:9/mcp");
    expect(await ask(1, "initialize", opening)).toMatchObject({ error: { code: -32_000 } });
    remote.stdin.write("no JSON\n");
    expect(await ask(2, "ping", {})).toMatchObject({ error: { code: -32_000 } });
    expect(errors.map(String)).toContain("Error: a line of the client is not JSON");
  });
});
