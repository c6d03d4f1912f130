import type { ContentBlock, ErrorCode, ResourceLink, ResultMeta } from "@toolpacks/core";

/** The result of one call. */
export interface CallResult {
  readonly tool: string;
  readonly status: "succeeded" | "failed" | "not_run";
  readonly value?: unknown;
  readonly blocks?: readonly ContentBlock[];
  readonly links?: readonly ResourceLink[];
  readonly meta?: ResultMeta;
  readonly code?: ErrorCode;
  /** Why it failed or did not run. */
  readonly reason?: string;
  readonly hint?: string;
}
