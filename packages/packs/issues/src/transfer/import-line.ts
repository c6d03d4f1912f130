import type { ReadIssue } from "./issue-line.ts";

/** A valid line of an import. */
export interface Line extends ReadIssue {
  readonly line: number;
  /** `created_at` in UTC. */
  readonly created: string;
}

/** A rejected line of an import. */
export interface BadLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly problem: string;
}
