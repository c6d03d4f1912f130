/** The deadline of a call, for everything that the call waits for. */
import { AsyncLocalStorage } from "node:async_hooks";
import { ToolError, withTimeout } from "@toolpacks/core";

/** The deadline of the running call: one for the whole call, or one per statement. Undefined: no deadline. */
type Deadline = { readonly until: number } | "each statement" | undefined;

const current = new AsyncLocalStorage<Deadline>();

/** Additional time for the server to answer that its own timeout was reached. */
const graceMs = 500;

/** Runs a call with one deadline for everything that it waits for: a connection, other writers, and the answers to its statements. */
export function withDeadline<T>(ms: number, call: () => Promise<T>): Promise<T> {
  return current.run({ until: performance.now() + ms }, call);
}

/** Starts the deadline again for a call that waited in the queue of this process. */
export function renewDeadline<T>(ms: number, call: () => Promise<T>): Promise<T> {
  return isLimited() ? withDeadline(ms, call) : call();
}

/** Runs a call with one timeout per statement, for a transaction that holds the writers' lock. */
export function withStatementLimit<T>(call: () => Promise<T>): Promise<T> {
  return current.run(isLimited() ? "each statement" : undefined, call);
}

/** Runs a call without a deadline, for creating indexes and migrations, whose time depends on the amount of data. */
export function withoutDeadline<T>(call: () => Promise<T>): Promise<T> {
  return current.run(undefined, call);
}

export function isLimited(): boolean {
  return current.getStore() !== undefined;
}

/** Milliseconds left until the deadline, at least 1. Without a deadline: `defaultMs`. */
export function remainingMs(defaultMs: number): number {
  const deadline = current.getStore();
  if (typeof deadline !== "object") return defaultMs;
  return Math.max(1, Math.ceil(deadline.until - performance.now()));
}

/** Waits for an answer until the deadline. @throws ToolError `unavailable` naming what it waited for */
export async function beforeDeadline<T>(answer: Promise<T>, what: string, timeoutMs: number): Promise<T> {
  const ms = remainingMs(timeoutMs) + graceMs;
  const onTimeout = () => {
    throw deadlineError(what, timeoutMs);
  };
  return withTimeout(answer, { ms, onTimeout });
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
