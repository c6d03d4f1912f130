import type { CatalogEntry, Dispatcher, ErrorCode, Failure, Outcome, ToolContext } from "@toolpacks/core";

/** Maximum calls of a batch. */
export const maxCalls = 50;

/** One call of a batch. */
export interface BatchCall {
  /** How later calls name its result. Default: `s1`, `s2`, … by its place. */
  readonly id?: string | undefined;
  /** The tool's name, as the caller wrote it. */
  readonly name: string;
  /** The tool, or why no tool can be called. */
  readonly target: Pick<CatalogEntry, "tool"> | { readonly failure: Failure };
  /** Texts in it may hold references: `${steps.s1.items[0].id}`. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Arguments that the surface adds. They hold no references. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The fields of each row that its result shows. */
  readonly fields?: readonly string[] | undefined;
  readonly continueOnFailure?: boolean | undefined;
  /** Whether the answer shows its result. Default: unless a later call received it, it can be read again, and no fields are named. */
  readonly show?: boolean | undefined;
}

export interface BatchOptions {
  readonly dispatcher: Dispatcher;
  /** The context of each call. */
  readonly context: ToolContext;
  /** Reports the progress of the batch. */
  readonly progress: ToolContext["progress"];
  readonly strategy: "serial" | "parallel";
  /** Maximum calls at the same time. Default 8. */
  readonly concurrency?: number;
  /** Timeout of each call of a parallel batch in ms. Default 60,000. */
  readonly timeout?: number;
  /** Resolves to the problem of the handles in arguments. */
  readonly checkHandles?: (args: unknown, context: ToolContext) => Promise<Failure | undefined>;
}

/** What became of a call. */
export interface BatchResult {
  readonly status: "succeeded" | "failed" | "not_run";
  /** What the tool answered. */
  readonly outcome?: Outcome;
  /** The complete result, if another call refers to it. */
  readonly referenced?: unknown;
  /** Set if it failed. A call that has not reached its tool has failed, too, and is `not_run`. */
  readonly code?: ErrorCode;
  /** Why it failed or did not run. */
  readonly reason?: string;
  readonly hint?: string;
}
