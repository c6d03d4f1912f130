import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, dataFolder, folder } from "../command.fixture.ts";

const metaServer = fileURLToPath(new URL("meta-server.fixture.ts", import.meta.url));
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

/** Starts the built server over stdio with another server behind it, and with a module that is loaded before it. */
async function connect(era: "2025" | "2026-07-28", sdk: "1" | "2", preload?: string): Promise<Client> {
  const directory = folder();
  const config = {
    mcpServers: { meta: { command: process.execPath, args: [metaServer] } },
    sdk: Number(sdk),
    logLevel: "silent",
  };
  const file = path.join(folder({ "toolpacks.config.json": JSON.stringify(config) }), "toolpacks.config.json");
  const client = new Client(
    { name: "test", version: "1" },
    era === "2025" ? {} : { versionNegotiation: { mode: { pin: era } } },
  );
  const env = { ...dataFolder, XDG_CACHE_HOME: directory, PATH: process.env["PATH"] ?? "" };
  const args = [
    ...(preload === undefined ? [] : ["--import", preload]),
    cli,
    "--config",
    file,
    "--store",
    path.join(directory, "store.db"),
  ];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

function textOf(result: CallToolResult): unknown {
  const [block] = result.content;
  return JSON.parse(block?.type === "text" ? block.text : "");
}

describe.each([
  ["2025", "1"],
  ["2025", "2"],
  ["2026-07-28", "2"],
] as const)("without an OpenTelemetry SDK, protocol %s on SDK %s,", (era, sdk) => {
  test("calls, prompts and resources of other servers get the trace of the request, and nothing else of its metadata", async () => {
    const client = await connect(era, sdk);
    const _meta = { traceparent, tracestate: "vendor=1", baggage: "user=alice", "example.com/private": "secret" };
    const forwarded = { traceparent, tracestate: "vendor=1" };
    const call = { name: "tool_invoke", arguments: { name: "meta_show", args: {} } };
    expect(textOf(await client.callTool({ ...call, _meta }))).toEqual(forwarded);
    const { prompts } = await client.listPrompts();
    const name = prompts.find((one) => one.name.startsWith("meta_"))?.name ?? "";
    const { messages } = await client.getPrompt({ name, _meta });
    expect(messages[0]?.content).toEqual({ type: "text", text: JSON.stringify(forwarded) });
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? "", _meta });
    expect(contents[0]).toMatchObject({ text: JSON.stringify(forwarded) });
  });

  test("an invalid trace is dropped, and a call without one has none", async () => {
    const client = await connect(era, sdk);
    const call = { name: "tool_invoke", arguments: { name: "meta_show", args: {} } };
    const invalid = { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, tracestate: "vendor=1" };
    expect(textOf(await client.callTool({ ...call, _meta: invalid }))).toEqual({});
    expect(textOf(await client.callTool({ ...call, _meta: { traceparent, tracestate: "=" } }))).toEqual({
      traceparent,
    });
    expect(textOf(await client.callTool(call))).toEqual({});
  });
});

/** A module that starts an OpenTelemetry SDK with its own copy of the API. Spans are written to a file, one a line. */
const telemetrySdk = (file: string) => `
import { appendFileSync } from "node:fs";
import { NodeTracerProvider, SimpleSpanProcessor } from ${JSON.stringify(import.meta.resolve("@opentelemetry/sdk-trace-node"))};
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const line = JSON.stringify({ name: span.name, parent: span.parentSpanContext?.spanId, traceId, spanId });
      appendFileSync(${JSON.stringify(file)}, line + "\\n");
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
`;

test("with an OpenTelemetry SDK that --import loads, the built server records spans over stdio", async () => {
  const directory = folder();
  const file = path.join(directory, "spans.jsonl");
  const preload = path.join(folder({ "sdk.mjs": telemetrySdk(file) }), "sdk.mjs");
  const client = await connect("2026-07-28", "2", pathToFileURL(preload).href);
  const call = { name: "tool_invoke", arguments: { name: "meta_show", args: {} } };
  const sent = textOf(await client.callTool({ ...call, _meta: { traceparent } })) as { traceparent: string };
  const spans = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);
  const [remote, inner, outer] = spans;
  expect(spans.map(({ name }) => name)).toEqual([
    "tools/call show",
    "execute_tool meta_show",
    "tools/call tool_invoke",
  ]);
  expect(spans.map((span) => span["traceId"])).toEqual([traceId, traceId, traceId]);
  expect([outer, inner, remote].map((span) => span?.["parent"])).toEqual([
    "00f067aa0ba902b7",
    outer?.["spanId"],
    inner?.["spanId"],
  ]);
  expect(sent.traceparent).toBe(`00-${traceId}-${remote?.["spanId"]}-01`);
});
