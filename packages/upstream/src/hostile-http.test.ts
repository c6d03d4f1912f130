import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { serve, type Handle } from "./http.fixture.ts";
import { connectLines } from "./remote-lines.ts";
import { connectThrough, createUpstream, folder } from "./wire.fixture.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
}

/** A server of 2025 whose one tool is answered by the test. */
function hostileSite(answerCall: (id: number, response: ServerResponse) => void): Handle {
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
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") return answerCall(id, response);
    const result = results[method];
    const outcome = result === undefined ? { error: { code: -32_601, message: "no such method" } } : { result };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  };
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
  const handle = hostileSite((id, response) => response.writeHead(200, { "content-type": type }).end(body(id)));
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
