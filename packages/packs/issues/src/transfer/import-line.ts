import type { ReadIssue } from "./issue-line.ts";

/** A line of an import that is an issue. */
export interface Line extends ReadIssue {
  readonly line: number;
  /** `created_at` as it sorts. */
  readonly created: string;
}

/** A line of an import that is not taken. */
export interface BadLine {
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}
