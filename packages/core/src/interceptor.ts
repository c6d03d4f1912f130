import type { Failure } from "./tool-error.ts";
import type { ContentBlock, ResourceLink } from "./content.ts";
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

/** The result of a call. */
export type Outcome = Success | Failed;

export interface Success {
  readonly ok: true;
  /** The validated result. Absent if the handler returned only blocks. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** The text for a model. */
  readonly text: string;
  /** Content in place of `text`: images, or the blocks of another server. */
  readonly blocks?: readonly ContentBlock[];
  /** Links to the parts that were left out of the result. Sent if there is no structured content. */
  readonly links?: readonly ResourceLink[];
  /** The value before anything was left out of it, for a call with `resultMode: "both"`. */
  readonly fullValue?: Readonly<Record<string, unknown>>;
  /** A line for the caller that is not part of the result, such as the new name of a deprecated tool. */
  readonly notice?: string;
}

export interface Failed {
  readonly ok: false;
  readonly failure: Failure;
  /** Content for a model in place of the failure's message. */
  readonly blocks?: readonly ContentBlock[];
  /** The part of the call that succeeded, for calling code. Never sent as structured content. */
  readonly value?: Readonly<Record<string, unknown>>;
}

/**
 * A function around a tool call, for policy, traces, relay or telemetry. It may change the call, replace it or change the outcome. `next` never
 * rejects. An error that an interceptor throws becomes a failure, like an error of a handler.
 */
export type Interceptor = (call: Call, next: (call: Call) => Promise<Outcome>) => Promise<Outcome>;
