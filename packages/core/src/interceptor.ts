import type { Failure } from "./tool-error.ts";
import type { ContentBlock, ResourceLink } from "./content.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** A call on its way to a tool that exists and is permitted. Its arguments are not validated yet. */
export interface Call {
  readonly tool: Tool;
  readonly facet: string;
  /** The name it was called by, which may be an alias. */
  readonly name: string;
  readonly args: unknown;
  readonly context: ToolContext;
}

/** How a call ended. */
export type Outcome = Success | Failed;

export interface Success {
  readonly ok: true;
  /** What the output schema admits. Absent when the handler answered in blocks alone. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** The rendering for a model. */
  readonly text: string;
  /** Content in place of `text`: images, another server's blocks. */
  readonly blocks?: readonly ContentBlock[];
  /** Where a client finds what was left out of the result. They go out where no structured content does. */
  readonly links?: readonly ResourceLink[];
  /** The value before anything was left out of it, for a caller that takes both. */
  readonly fullValue?: Readonly<Record<string, unknown>>;
  /** A line for the caller beside the result, such as a deprecated name's new one. */
  readonly notice?: string;
}

export interface Failed {
  readonly ok: false;
  readonly failure: Failure;
  /** What a model reads in place of the failure's message. */
  readonly blocks?: readonly ContentBlock[];
  /** What succeeded all the same, for code that makes the call. It never goes out as structured content. */
  readonly value?: Readonly<Record<string, unknown>>;
}

/**
 * A function around dispatch: policy, traces, relay, telemetry. It may change the call, answer in its place, or change
 * the outcome. `next` never rejects, and what an interceptor throws becomes a failure as a handler's error does.
 */
export type Interceptor = (call: Call, next: (call: Call) => Promise<Outcome>) => Promise<Outcome>;
