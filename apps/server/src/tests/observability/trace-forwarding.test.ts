import { fileURLToPath } from "node:url";
import type { Client, CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { folder } from "../../run-cli.fixture.ts";
import { connectServer } from "../../serve.fixture.ts";

const metaServer = fileURLToPath(new URL("meta-server.fixture.ts", import.meta.url));
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

/** Connects a client to a server with another server behind it. */
async function connect(era: "2025" | "2026-07-28"): Promise<Client> {
  const mcpServers = { meta: { command: process.execPath, args: [metaServer] } };
  const cwd = folder({ "settings.json": JSON.stringify({ mcpServers, logLevel: "silent" }) });
  const { client } = await connectServer(["--config", "settings.json", "--store", "store.db"], {
    cwd,
    client: era === "2025" ? {} : { versionNegotiation: { mode: { pin: era } } },
  });
  onTestFinished(() => client.close());
  return client;
}

function textOf(result: CallToolResult): unknown {
  const [block] = result.content;
  return JSON.parse(block?.type === "text" ? block.text : "");
}

describe.each(["2025", "2026-07-28"] as const)("without an OpenTelemetry SDK, protocol %s,", (era) => {
  test("calls, prompts and resources of other servers get the trace of the request, and nothing else of its metadata", async () => {
    const client = await connect(era);
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
    const client = await connect(era);
    const call = { name: "tool_invoke", arguments: { name: "meta_show", args: {} } };
    const invalid = { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, tracestate: "vendor=1" };
    expect(textOf(await client.callTool({ ...call, _meta: invalid }))).toEqual({});
    expect(textOf(await client.callTool({ ...call, _meta: { traceparent, tracestate: "a=1\nb=2" } }))).toEqual({
      traceparent,
    });
    expect(textOf(await client.callTool(call))).toEqual({});
  });
});
