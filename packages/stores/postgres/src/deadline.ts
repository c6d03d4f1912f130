import { AsyncLocalStorage } from "node:async_hooks";
import { ToolError } from "@toolpacks/core";

/** How long the running call may wait: until a moment, or for each statement anew. Undefined: statements are not limited. */
type Deadline = { readonly until: number } | "each statement" | undefined;

const current = new AsyncLocalStorage<Deadline>();

/** The server needs a moment to answer that its own limit was reached. */
const graceMs = 500;

/** One deadline for all that a call waits for: a connection, other writers, and the answers to its statements. */
export function withDeadline<T>(ms: number, call: () => Promise<T>): Promise<T> {
  return current.run({ until: performance.now() + ms }, call);
}

/** The same for a call that waited in its own process's queue, while the database was writable. */
export function renewDeadline<T>(ms: number, call: () => Promise<T>): Promise<T> {
  return isLimited() ? withDeadline(ms, call) : call();
}

/** A transaction that holds the writers' lock: each of its statements may take this long again. */
export function withStatementLimit<T>(call: () => Promise<T>): Promise<T> {
  return current.run(isLimited() ? "each statement" : undefined, call);
}

/** For statements that take as long as there is data: making an index, migrating. */
export function withoutDeadline<T>(call: () => Promise<T>): Promise<T> {
  return current.run(undefined, call);
}

export function isLimited(): boolean {
  return current.getStore() !== undefined;
}

/** Milliseconds left until the deadline, at least 1. Where there is none: `otherwise`. */
export function remainingMs(otherwise: number): number {
  const deadline = current.getStore();
  if (typeof deadline !== "object") return otherwise;
  return Math.max(1, Math.ceil(deadline.until - performance.now()));
}

/** @throws DeadlineError naming what was waited for */
export async function beforeDeadline<T>(answer: Promise<T>, what: string, timeoutMs: number): Promise<T> {
  const ms = remainingMs(timeoutMs) + graceMs;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(deadlineError(what, timeoutMs)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

const deadlineErrors = new WeakSet<object>();

function deadlineError(what: string, timeoutMs: number): ToolError {
  const error = new ToolError(
    "unavailable",
    `the store: timed out after ${timeoutMs / 1_000} s waiting for ${what}`,
    "Check that the PostgreSQL server runs. A write may have been kept: read before you repeat it.",
  );
  deadlineErrors.add(error);
  return error;
}

export function isDeadlineError(error: unknown): boolean {
  return typeof error === "object" && error !== null && deadlineErrors.has(error);
}
