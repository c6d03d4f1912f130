import type { Outcome } from "./outcome.ts";
import type { CatalogEntry, Tool, ToolContext } from "./tool.ts";

/** A call of a tool that exists and is permitted. Its arguments are not validated yet. */
export interface Call {
  readonly tool: Tool;
  readonly facet: string;
  /** The name in the call, which may be an alias. */
  readonly name: string;
  readonly args: unknown;
  readonly context: ToolContext;
}

/**
 * A function around a tool call, for policy, traces, relay or telemetry. It may change the call, replace it or change the outcome. `next` never
 * rejects. An error that an interceptor throws becomes a failure, like an error of a handler.
 */
export type Interceptor = (call: Call, next: (call: Call) => Promise<Outcome>) => Promise<Outcome>;

/** A call as its caller made it. The tool may be unknown. The arguments are of any size if dispatch refuses the call with `too_large`. */
export interface ObservedCall {
  /** The id of the call. Unique across processes. */
  readonly id: string;
  /** The id of the call whose tool makes this call. Undefined: a client makes it. */
  readonly parent: string | undefined;
  readonly name: string;
  readonly args: unknown;
  readonly context: ToolContext;
}

/** How a call ended. */
export interface CallEnd {
  readonly outcome: Outcome;
  /** The called tool. Undefined if there is no tool of the name that the caller may know of. */
  readonly entry?: CatalogEntry | undefined;
}

/**
 * A function around a whole call, for logs, metrics, spans and traces. It also sees calls of unknown and denied tools, and calls that tools make. It may
 * pass on another context, and returns what `run` resolves to. `run` never rejects, and the observer must not reject either.
 */
export type CallObserver = (call: ObservedCall, run: (context: ToolContext) => Promise<CallEnd>) => Promise<CallEnd>;
