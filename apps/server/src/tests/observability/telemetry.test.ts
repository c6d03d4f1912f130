import { fileURLToPath } from "node:url";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { serveObserved } from "./observed.fixture.ts";

const metaServer = fileURLToPath(new URL("meta-server.fixture.ts", import.meta.url));
const config = { mcpServers: { meta: { command: process.execPath, args: [metaServer] } } };
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const _meta = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: "vendor=1", baggage: "user=alice" };

const spans = new InMemorySpanExporter();
/** The baggage of each span's parent context, by the span's name. */
let baggage: Record<string, string | undefined> = {};
/** Names of spans that started while baggage was active. */
let activeBaggage: string[] = [];
let durations: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;

beforeEach(() => {
  spans.reset();
  durations = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  baggage = {};
  activeBaggage = [];
  const recorder = new SimpleSpanProcessor(spans);
  const onStart: typeof recorder.onStart = (span, parent) => {
    baggage[span.name] = propagation.getBaggage(parent)?.getEntry("user")?.value;
    if (propagation.getActiveBaggage() !== undefined) activeBaggage.push(span.name);
    recorder.onStart(span, parent);
  };
  const processor = Object.assign(Object.create(recorder) as typeof recorder, { onStart });
  new NodeTracerProvider({ spanProcessors: [processor] }).register();
  reader = new PeriodicExportingMetricReader({ exporter: durations, exportIntervalMillis: 60_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});

afterEach(async () => {
  await reader.shutdown();
  for (const api of [trace, context, propagation, metrics]) api.disable();
});

function spanNamed(name: string): ReadableSpan {
  const found = spans.getFinishedSpans().filter((span) => span.name === name);
  if (found.length !== 1)
    throw new Error(
      `${found.length} spans are named ${name}: ${spans
        .getFinishedSpans()
        .map((span) => span.name)
        .join(", ")}`,
    );
  return found[0] as ReadableSpan;
}

function textOf(result: unknown): Record<string, string> {
  const [block] = (result as CallToolResult).content;
  return JSON.parse(block?.type === "text" ? block.text : "") as Record<string, string>;
}

const idOf = (span: ReadableSpan) => span.spanContext().spanId;

describe.each([
  ["2025", true],
  ["2026-07-28", true],
  ["2026-07-28", false],
] as const)("with an OpenTelemetry SDK, protocol %s, over HTTP: %s,", (era, isHttp) => {
  test("a call has a span below the client's, and the request to another server continues it", async () => {
    const { client, calls } = await serveObserved({ era, isHttp, config });
    const sent = textOf(
      await client.callTool({ name: "tool_invoke", arguments: { name: "meta_show", args: {} }, _meta }),
    );
    const [call, inner, remote] = ["tools/call tool_invoke", "execute_tool meta_show", "tools/call show"].map(
      spanNamed,
    );
    if (call === undefined || inner === undefined || remote === undefined) throw new Error("a span is missing");
    expect([call, inner, remote].map((span) => span.spanContext().traceId)).toEqual([traceId, traceId, traceId]);
    expect([call, inner, remote].map((span) => span.parentSpanContext?.spanId)).toEqual([
      parentId,
      idOf(call),
      idOf(inner),
    ]);
    expect(sent).toEqual({ traceparent: `00-${traceId}-${idOf(remote)}-01`, tracestate: "vendor=1" });
    expect([call, inner, remote].map(({ kind }) => kind)).toEqual([1, 0, 2]);
    expect(call.attributes).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "tool_invoke",
      "gen_ai.operation.name": "execute_tool",
      "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
      "mcp.protocol.version": era === "2025" ? "2025-11-25" : era,
      "network.transport": isHttp ? "tcp" : "pipe",
    });
    expect(remote.attributes).toMatchObject({ "toolpacks.remote": "meta", "gen_ai.tool.name": "show" });
    // The baggage reaches each span. It is not active while the tool runs, where HTTP instrumentation would send it on.
    expect(baggage).toEqual({ "tools/call": "alice", execute_tool: "alice", "tools/call show": "alice" });
    expect(activeBaggage).toEqual([]);
    if (isHttp) expect(calls().map((line) => line["trace"])).toEqual([traceId, traceId]);
  });
});

test("spans show failures by code, and no name of an unknown tool", async () => {
  const { client } = await serveObserved({ config });
  await client.callTool({ name: "tool_invoke", arguments: { name: "meta_show", args: { fails: true } } });
  await client.callTool({ name: "no_such_tool", arguments: {} });
  const unknown = spanNamed("tools/call");
  expect(unknown.attributes).toMatchObject({ "error.type": "tool_error", "toolpacks.outcome": "not_found" });
  expect(unknown.attributes).not.toHaveProperty("gen_ai.tool.name");
  expect(unknown.status.code).toBe(2);
  for (const name of ["tools/call tool_invoke", "execute_tool meta_show", "tools/call show"]) {
    expect(spanNamed(name).attributes).toMatchObject({ "error.type": "tool_error" });
  }
  expect(JSON.stringify(spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes]))).not.toContain(
    "no_such",
  );
});

test("each step of a workflow has a span below the span of its run", async () => {
  const steps = [
    { forEach: [1, 2], steps: [{ id: "echo", tool: "canary_echo" }], id: "loop" },
    { id: "last", tool: "canary_fail", params: { text: "x" } },
  ];
  const { client } = await serveObserved({ config: { workflows: { pair: { description: "Two.", steps } } } });
  await client.callTool({ name: "tool_invoke", arguments: { name: "workflow_run", args: { name: "pair" } } });
  const run = spanNamed("execute_tool workflow_run");
  const all = spans.getFinishedSpans();
  const step = (id: string) => all.filter(({ attributes }) => attributes["toolpacks.step"] === id);
  const parentsOf = (list: readonly ReadableSpan[]) => list.map((span) => span.parentSpanContext?.spanId);
  expect(parentsOf([...step("loop"), ...step("last")])).toEqual([idOf(run), idOf(run)]);
  const [loop, last] = [...step("loop"), ...step("last")].map(idOf);
  expect(parentsOf(step("echo"))).toEqual([loop, loop]);
  const echoes = all.filter(({ name }) => name === "execute_tool canary_echo");
  expect(new Set(parentsOf(echoes))).toEqual(new Set(step("echo").map(idOf)));
  expect(spanNamed("execute_tool canary_fail").parentSpanContext?.spanId).toBe(last);
  expect(step("last")[0]?.attributes).toMatchObject({ "error.type": "conflict" });
});

test("a span without a trace in the request is below the active span, and links to it otherwise", async () => {
  const { runtime } = await serveObserved();
  const outer = trace.getTracer("test").startSpan("POST /mcp");
  await context.with(trace.setSpan(context.active(), outer), async () => {
    await runtime.surface.call({ name: "canary_echo" });
    await runtime.surface.call({
      name: "canary_fail",
      args: { text: "x" },
      context: { trace: { traceparent: _meta.traceparent } },
    });
  });
  expect(spanNamed("tools/call canary_echo").parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  const linked = spanNamed("tools/call canary_fail");
  expect(linked.parentSpanContext?.spanId).toBe(parentId);
  expect(linked.links.map((link) => link.context.spanId)).toEqual([outer.spanContext().spanId]);
});

test("durations of requests are recorded by tool, and by server", async () => {
  const { client } = await serveObserved({ config });
  await client.callTool({ name: "tool_invoke", arguments: { name: "meta_show", args: {} } });
  await client.callTool({ name: "no_such_tool", arguments: {} });
  await reader.forceFlush();
  const [exported] = durations.getMetrics().slice(-1);
  const points = (exported?.scopeMetrics ?? []).flatMap((scope) =>
    scope.metrics.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes }) => [descriptor.name, attributes] as const),
    ),
  );
  const served = points
    .filter(([name]) => name === "mcp.server.operation.duration")
    .map(([, attributes]) => attributes);
  expect(served).toEqual([
    expect.objectContaining({ "mcp.method.name": "tools/call", "gen_ai.tool.name": "tool_invoke" }),
    expect.objectContaining({ "gen_ai.tool.name": "other", "error.type": "tool_error" }),
  ]);
  const sent = points.filter(([name]) => name === "mcp.client.operation.duration").map(([, attributes]) => attributes);
  expect(sent).toEqual([
    { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "toolpacks.remote": "meta" },
  ]);
});
