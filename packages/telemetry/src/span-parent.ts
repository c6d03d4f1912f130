import {
  context as contexts,
  createTraceState,
  propagation,
  trace as traces,
  type Context,
  type Link,
  type Span,
} from "@opentelemetry/api";
import { formatTraceparent, parseTraceparent, type TraceContext } from "@toolpacks/core";

/** The context in which a span starts. */
export interface SpanParent {
  readonly context: Context;
  /** Whether the baggage of the context came in the request's `_meta`. */
  readonly hasBaggage: boolean;
  readonly links: Link[];
}

/** The parent of a span: the given trace, with a link to the span that is active, such as of an HTTP request. Without a trace, the active span. */
export function parentOf(trace: TraceContext | undefined): SpanParent {
  const active = contexts.active();
  const parsed = trace && parseTraceparent(trace.traceparent);
  if (trace === undefined || parsed === undefined) return { context: active, hasBaggage: false, links: [] };
  const { traceId, parentId: spanId, flags: traceFlags } = parsed;
  const { tracestate, baggage } = trace;
  const current = traces.getSpanContext(active);
  const isCurrent = current?.spanId === spanId && current.traceId === traceId;
  const state = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) };
  const context = isCurrent
    ? active
    : traces.setSpanContext(active, { traceId, spanId, traceFlags, isRemote: true, ...state });
  return {
    context: baggage === undefined ? context : propagation.extract(context, { baggage }),
    hasBaggage: baggage !== undefined,
    links: current === undefined || isCurrent ? [] : [{ context: current }],
  };
}

/**
 * The context in which a span is active. The caller's baggage is for the span alone: instrumentation of HTTP clients would send it to other servers.
 */
export function activeIn({ context, hasBaggage }: SpanParent, span: Span): Context {
  return traces.setSpan(hasBaggage ? propagation.deleteBaggage(context) : context, span);
}

/** The trace in which the span is the parent of further spans. Without an SDK's span, the parent trace. */
export function traceOf(span: Span, parent: TraceContext | undefined): TraceContext | undefined {
  const spanContext = span.spanContext();
  if (!traces.isSpanContextValid(spanContext)) return parent;
  const { traceId, spanId: parentId, traceFlags: flags, traceState } = spanContext;
  const tracestate = traceState?.serialize() ?? "";
  return {
    traceparent: formatTraceparent({ traceId, parentId, flags }),
    tracestate: tracestate === "" ? undefined : tracestate,
    baggage: parent?.baggage,
  };
}
