/** The trace that a call belongs to, in the format of W3C Trace Context. */
export interface TraceContext {
  /** A valid value of version `00`. */
  readonly traceparent: string;
  readonly tracestate?: string;
  /** Properties of the trace, in the format of W3C Baggage. They are never sent to another server, because they may be private. */
  readonly baggage?: string;
}

/** A part of a call with a span of its own: a step of a workflow, or a request to another server. */
export interface SpanInfo {
  /** Such as `tools/call issue_list`. It contains no argument and no id, so that few different names exist. */
  readonly name: string;
  /** `client`: a request to another server. */
  readonly kind: "internal" | "client";
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface SpanOptions<Result> extends SpanInfo {
  /** The code of a failure in a result. Undefined: the part succeeded. */
  readonly failureOf?: (result: Result) => string | undefined;
}

/** Runs a part of a call in a span of its own. */
export type SpanRunner = <Result>(
  span: SpanOptions<Result>,
  parent: TraceContext | undefined,
  run: (trace: TraceContext | undefined) => Promise<Result>,
) => Promise<Result>;

interface TracedContext {
  readonly trace?: TraceContext;
  readonly span?: SpanRunner;
}

/** Runs a part of a call with a context of its own. Where spans are recorded, the part has a span, and its context the trace of that span. */
export function inSpan<Context extends TracedContext, Result>(
  { context, ...span }: SpanOptions<Result> & { readonly context: Context },
  run: (context: Context) => Promise<Result>,
): Promise<Result> {
  if (context.span === undefined) return run(context);
  return context.span(span, context.trace, (trace) => run(trace === undefined ? context : { ...context, trace }));
}

/** A version other than `00` may have more fields, which are dropped. */
const traceparentFormat =
  /^(?!ff)(?<version>[\da-f]{2})-(?<traceId>(?!0{32})[\da-f]{32})-(?<parentId>(?!0{16})[\da-f]{16})-(?<flags>[\da-f]{2})(?<rest>-.*)?$/;
const maxTraceparentLength = 512;

/** Parses a `traceparent`. Undefined if it is invalid. */
export function parseTraceparent(
  value: unknown,
): { readonly traceId: string; readonly parentId: string; readonly flags: number } | undefined {
  if (typeof value !== "string" || value.length > maxTraceparentLength) return undefined;
  const { version, traceId, parentId, flags, rest } = traceparentFormat.exec(value)?.groups ?? {};
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  return { traceId, parentId, flags: Number.parseInt(flags, 16) };
}

const tracestateFormat = /^[ -~]{1,512}$/;
const baggageFormat = /^[\t -~]{1,8192}$/;

/**
 * Reads the trace of a request from its `_meta`: `traceparent`, `tracestate` and `baggage`. Undefined without a valid `traceparent`. Other invalid values
 * are dropped.
 */
export function readTraceContext(meta: unknown): TraceContext | undefined {
  const { traceparent, tracestate, baggage } = (meta ?? {}) as Readonly<Record<string, unknown>>;
  if (traceparent === undefined) return undefined;
  const parsed = parseTraceparent(traceparent);
  if (parsed === undefined) return undefined;
  return {
    traceparent: formatTraceparent(parsed),
    tracestate: textOf(tracestate, tracestateFormat),
    baggage: textOf(baggage, baggageFormat),
  };
}

function textOf(value: unknown, format: RegExp): string | undefined {
  return typeof value === "string" && format.test(value) ? value : undefined;
}

/** The flags of version `00`: sampled, and random trace id. */
const knownFlags = 0b11;

export function formatTraceparent({ traceId, parentId, flags }: NonNullable<ReturnType<typeof parseTraceparent>>) {
  return `00-${traceId}-${parentId}-${(flags & knownFlags).toString(16).padStart(2, "0")}`;
}

/** The `_meta` of a request to another server, with the trace of the call that causes it. */
export function traceMeta({ trace }: TracedContext): { readonly _meta?: Record<string, string> } {
  if (trace === undefined) return {};
  const { traceparent, tracestate } = trace;
  return { _meta: { traceparent, ...(tracestate !== undefined && { tracestate }) } };
}
