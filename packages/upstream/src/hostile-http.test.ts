import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { modernSite, serve, sseSite, type Handle } from "./http.fixture.ts";
import { parseUpstreamOptions, type RemotePlan } from "./options.ts";
import { connectLines } from "./remote-lines.ts";
import { signInFetch } from "./sign-in-fetch.ts";
import { connectThrough, createUpstream, folder } from "./wire.fixture.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
}

interface Hostile {
  /** Answers a call of the one tool. */
  readonly answerCall: (id: number, response: ServerResponse) => void;
  /** Answers a response to a request of the server. Default: accepted. */
  readonly answerResponse?: (response: ServerResponse) => void;
}

/** A server of 2025 that is answered for by the test. */
function hostileSite({ answerCall, answerResponse = accept }: Hostile): Handle {
  const results: Partial<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "hostile", version: "1" },
    },
    "tools/list": { tools: [{ name: "go", inputSchema: { type: "object" } }] },
  };
  return async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method = "" } = JSON.parse(await text(request)) as Message;
    if (id === undefined) return accept(response);
    if (method === "") return answerResponse(response);
    if (method === "tools/call") return answerCall(id, response);
    const result = results[method];
    const outcome = result === undefined ? { error: { code: -32_601, message: "no such method" } } : { result };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  };
}

function accept(response: ServerResponse): void {
  response.writeHead(202).end();
}

const half = (bracket: string) => bracket.repeat(200);
const deep = `${"[".repeat(300_000)}${"]".repeat(300_000)}`;
const around = (id: number, nested: string) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${nested}}}}`;

const attacks: readonly [string, string, (id: number) => string][] = [
  ["a body", "application/json", (id) => around(id, deep)],
  ["an event", "text/event-stream", (id) => `data: ${around(id, deep)}\n\n`],
  [
    "an event whose other fields close brackets",
    "text/event-stream",
    (id) =>
      `data: ${around(id, `${half("[")}\nid: "${half("]")}\ndata: ${half("[")}${half("]")}\ndata: ${half("]")}`)}\n\n`,
  ],
];

test.each(attacks)("%s that is nested too deep fails its call, which names the limit", async (_, type, body) => {
  const answerCall = (id: number, response: ServerResponse) =>
    void response.writeHead(200, { "content-type": type }).end(body(id));
  const handle = hostileSite({ answerCall });
  const site = await serve(handle);
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url })]);
  const { content } = await client.callTool({ name: "tool_invoke", arguments: { name: "web_go", args: {} } });
  expect(content).toMatchObject([{ text: expect.stringMatching(/^too_large: .*nested more than 256 levels deep/) }]);

  const lines = await connectLines({ url: site.url, headers: {}, dataDirectory: folder(), onError: () => {} });
  onTestFinished(() => lines.close());
  const answer = new Promise((resolve) => lines.stdout.once("data", resolve));
  lines.stdin.write('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"go"}}\n');
  const error = { message: expect.stringContaining("nested more than 256 levels deep") as string };
  expect(JSON.parse(String(await answer))).toMatchObject({ id: 5, error });
});

/** Sends a message as events of a stream, as fast as they are read. */
function flood(response: ServerResponse, message: object): void {
  const events = `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`.repeat(500);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = () => {
    while (!response.destroyed && response.write(events));
    if (!response.destroyed) response.once("drain", write);
  };
  write();
}

const ping = { id: 5, method: "ping" };

test("a server that asks and takes no responses is disconnected, and other servers answer meanwhile", async () => {
  const isClosed = Promise.withResolvers<void>();
  const handle = hostileSite({
    answerCall: (_, response) => {
      response.on("close", isClosed.resolve);
      flood(response, ping);
    },
    answerResponse: () => {},
  });
  const packs = await Promise.all([
    serve(handle).then(({ url }) => createUpstream({ name: "web", url })),
    serve(modernSite()).then(({ url }) => createUpstream({ name: "good", url })),
  ]);
  const { client } = await connectThrough(packs);
  const call = (name: string) => client.callTool({ name: "tool_invoke", arguments: { name, args: {} } });
  expect((await call("good_say")).isError).toBeFalsy();
  const flooded = call("web_go");
  expect((await call("good_say")).isError).toBeFalsy();
  const message = "the server does not take the responses to its 100 latest requests";
  expect((await flooded).content).toMatchObject([{ text: expect.stringContaining(message) }]);
  await isClosed.promise;
});

test("other servers answer while one floods its stream", async () => {
  const answerCall = (_: number, response: ServerResponse) => flood(response, { id: [], method: 5 });
  const packs = await Promise.all([
    serve(hostileSite({ answerCall })).then(({ url }) => createUpstream({ name: "web", url, timeoutSeconds: 1 })),
    serve(modernSite()).then(({ url }) => createUpstream({ name: "good", url })),
  ]);
  const { client } = await connectThrough(packs);
  const call = (name: string) => client.callTool({ name: "tool_invoke", arguments: { name, args: {} } });
  const flooded = call("web_go");
  for (let calls = 0; calls < 5; calls += 1) expect((await call("good_say")).isError).toBeFalsy();
  expect((await flooded).content).toMatchObject([{ text: expect.stringContaining("web took longer than 1 s") }]);
});

/** Ends each event stream at once, and asks for the next without delay. */
function restless(handle: Handle, firstStreams: number): { readonly handle: Handle; readonly count: () => number } {
  let opened = 0;
  return {
    count: () => opened,
    handle(request, response) {
      if (request.method !== "GET") return handle(request, response);
      opened += 1;
      if (opened <= firstStreams) {
        const { socket } = response;
        setTimeout(() => socket?.destroy(), 500);
        return handle(request, response);
      }
      response.writeHead(200, { "content-type": "text/event-stream" }).end("id: 1\nretry: 0\ndata:\n\n");
      return Promise.resolve();
    },
  };
}

/** Both transports at the same time, because the test waits for seconds. */
test("a stream that ends at once is reopened once a second, and never after the end", async () => {
  const streamable = restless(hostileSite({ answerCall: (_, response) => accept(response) }), 0);
  const sse = restless(sseSite().handle, 1);
  const sites = [
    { transport: "http", site: await serve(streamable.handle, "/mcp"), count: streamable.count },
    { transport: "sse", site: await serve(sse.handle, "/sse"), count: sse.count },
  ] as const;
  await Promise.all(
    sites.map(async ({ transport, site, count }) => {
      const pack = createUpstream({ name: "web", url: site.url, transport });
      await pack.ready();
      await vi.waitFor(() => expect(count(), transport).toBeGreaterThan(1), 5_000);
      const [before, started] = [count(), performance.now()];
      await wait(1_000);
      const seconds = (performance.now() - started) / 1_000;
      expect(count() - before, transport).toBeLessThanOrEqual(seconds + 2);
      await pack.remote.end();
      const atEnd = count();
      await wait(1_200);
      expect(count(), transport).toBe(atEnd);
    }),
  );
});

test("the headers of a server's block are not sent to an origin that it names for a sign-in", async () => {
  const other = await serve(async (_, response) => void response.writeHead(404).end());
  const challenge = `Bearer resource_metadata="${new URL("/meta", other.url).href}"`;
  const answerCall = (_: number, response: ServerResponse) =>
    void response.writeHead(401, { "www-authenticate": challenge }).end();
  const site = await serve(hostileSite({ answerCall }));
  const headers = { "X-Api-Key": "secret" };
  const { client } = await connectThrough([createUpstream({ name: "web", url: site.url, headers })]);
  const { isError } = await client.callTool({ name: "tool_invoke", arguments: { name: "web_go", args: {} } });
  expect(isError).toBe(true);
  expect(site.seen.filter(({ method }) => method === "POST").map((one) => one.headers["x-api-key"])).toContain(
    "secret",
  );
  expect(other.seen.length).toBeGreaterThan(0);
  expect(other.seen.map((one) => one.headers["x-api-key"]).filter((key) => key !== undefined)).toEqual([]);
});

test("a server over https leads a sign-in to https addresses only", async () => {
  const reached: string[] = [];
  const plan = (url: string) => parseUpstreamOptions({ name: "web", url }) as RemotePlan;
  const record = async (address: string | URL) => {
    reached.push(String(address));
    return new Response();
  };
  const fetch = signInFetch(plan("https://one.example/mcp"), record);
  await fetch("https://two.example/meta");
  await expect(fetch("http://127.0.0.1:80/meta")).rejects.toThrow("http://127.0.0.1; expected https");
  await signInFetch(plan("http://127.0.0.1:81/mcp"), record)("http://127.0.0.1:82/meta");
  expect(reached).toEqual(["https://two.example/meta", "http://127.0.0.1:82/meta"]);
});
