import {
  context as contexts,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace as traces,
  type Attributes,
  type Histogram,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { ToolError, type CallEnd, type ObservedCall, type SpanRunner, type ToolContext } from "@toolpacks/core";
import { boundedLabels } from "./bounded-labels.ts";
import { cleanName, outcomeOf } from "./call-labels.ts";
import { activeIn, parentOf, traceOf } from "./span-parent.ts";

/** Boundaries that the conventions advise, in seconds. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const maxTools = 1_000;
const request = { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool" };

/**
 * Spans and metrics of calls, for the OpenTelemetry SDK that is loaded. Names are those of the conventions for MCP:
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export class Telemetry {
  readonly #tracer: Tracer;
  /** Durations of requests that clients make. */
  readonly #served: Histogram;
  /** Durations of requests to other servers. */
  readonly #sent: Histogram;
  readonly #transport: Attributes;
  readonly #tools = boundedLabels(maxTools);

  constructor({ version, isHttp }: { readonly version: string; readonly isHttp: boolean }) {
    const meter = metrics.getMeter("toolpacks", version);
    const histogram = (name: string, description: string) =>
      meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: boundaries } });
    this.#tracer = traces.getTracer("toolpacks", version);
    this.#served = histogram("mcp.server.operation.duration", "Duration of a request until its result is sent.");
    this.#sent = histogram("mcp.client.operation.duration", "Duration of a request until its result arrives.");
    this.#transport = isHttp
      ? { "network.transport": "tcp", "network.protocol.name": "http" }
      : { "network.transport": "pipe" };
  }

  /** Runs a call in a span of its own. The context of the call has the trace of that span. */
  async observe(call: ObservedCall, run: (context: ToolContext) => Promise<CallEnd>): Promise<CallEnd> {
    const { id, context } = call;
    const isRequest = call.parent === undefined;
    const parent = parentOf(context.trace);
    const name = isRequest ? request["mcp.method.name"] : request["gen_ai.operation.name"];
    const kind = isRequest ? SpanKind.SERVER : SpanKind.INTERNAL;
    const attributes = isRequest
      ? { ...request, ...this.#transport, ...requestAttributes(context) }
      : { "gen_ai.operation.name": name };
    const span = this.#tracer.startSpan(name, { kind, attributes, links: parent.links }, parent.context);
    const trace = traceOf(span, context.trace);
    const started = performance.now();
    const end = await contexts.with(activeIn(parent, span), () =>
      run({ ...context, span: this.#runSpan, ...(trace && { trace }) }),
    );
    const outcome = outcomeOf(end);
    const failure = outcome === "ok" ? undefined : "tool_error";
    const tool = end.entry?.tool.name;
    // The name of an unknown tool is not used: clients would cause names without limit.
    if (tool !== undefined) span.updateName(`${name} ${tool}`).setAttribute("gen_ai.tool.name", tool);
    span.setAttributes({ "toolpacks.call": id, "toolpacks.outcome": outcome });
    endSpan(span, failure);
    const toolName = tool === undefined ? "other" : this.#tools(tool);
    const labels = { ...request, "gen_ai.tool.name": toolName, ...this.#transport, ...errorType(failure) };
    if (isRequest) this.#served.record(secondsSince(started), labels);
    return end;
  }

  readonly #runSpan: SpanRunner = async ({ name, kind, attributes, failureOf }, parentTrace, run) => {
    const parent = parentOf(parentTrace);
    const isRequest = kind === "client";
    const options = {
      kind: isRequest ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: { ...attributes } as Record<string, string>,
    };
    const span = this.#tracer.startSpan(name, { ...options, links: parent.links }, parent.context);
    const started = performance.now();
    let failure: string | undefined;
    try {
      const result = await contexts.with(activeIn(parent, span), () => run(traceOf(span, parentTrace)));
      failure = failureOf?.(result);
      return result;
    } catch (error) {
      failure = ToolError.is(error) ? error.code : "_OTHER";
      throw error;
    } finally {
      endSpan(span, failure);
      // Other servers choose the names of their tools and prompts, so their number has no limit.
      const { "gen_ai.tool.name": _tool, "gen_ai.prompt.name": _prompt, ...labels } = options.attributes;
      if (isRequest) this.#sent.record(secondsSince(started), { ...labels, ...errorType(failure) });
    }
  };
}

function requestAttributes({ requestId, protocolVersion, header }: ToolContext): Attributes {
  const version = protocolVersion ?? header?.("mcp-protocol-version");
  const session = header?.("mcp-session-id");
  return {
    ...(requestId !== undefined && { "jsonrpc.request.id": cleanName(String(requestId)) }),
    ...(version !== undefined && { "mcp.protocol.version": cleanName(version) }),
    ...(session !== undefined && { "mcp.session.id": cleanName(session) }),
  };
}

function endSpan(span: Span, failure: string | undefined): void {
  if (failure !== undefined) span.setAttributes(errorType(failure)).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function errorType(failure: string | undefined): Attributes {
  return failure === undefined ? {} : { "error.type": failure };
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1_000;
}
