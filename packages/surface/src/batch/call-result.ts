import type { ContentBlock, ErrorCode, ResourceLink, ResultMeta } from "@toolpacks/core";

/** Maximum calls of a batch. */
export const maxCalls = 50;

/** The result of one call of a batch. */
export interface CallResult {
  readonly id: string;
  readonly tool: string;
  readonly status: "succeeded" | "failed" | "not_run";
  /** Set if its tool changes nothing. */
  readonly isReadOnly?: true;
  readonly value?: unknown;
  readonly blocks?: readonly ContentBlock[];
  readonly links?: readonly ResourceLink[];
  readonly meta?: ResultMeta;
  readonly code?: ErrorCode;
  /** Why it failed or did not run. */
  readonly reason?: string;
  readonly hint?: string;
  /** The start of its value's JSON, where a call that did not succeed refers to it. */
  readonly needed?: string;
}
