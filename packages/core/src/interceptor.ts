import type { Outcome } from "./outcome.ts";
import type { Tool, ToolContext } from "./tool.ts";

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
