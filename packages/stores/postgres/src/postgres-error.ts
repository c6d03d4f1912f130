/** PostgreSQL's errors as errors of a store, with the cause and what to do. */
import { ToolError } from "@toolpacks/core";
import { isDeadlineError } from "./deadline.ts";

/** Descriptions of PostgreSQL's error codes (SQLSTATE) and of the operating system's. */
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at its address",
  ENOTFOUND: "its host is not known",
  ETIMEDOUT: "its host does not answer",
  EHOSTUNREACH: "its host cannot be reached",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  "08": "the connection was lost",
  "25P02": "an earlier write of this transaction failed, and nothing of it is kept",
  "28": "the user or password is not accepted",
  "3D000": "there is no such database",
  "42501": "the user may not do this",
  "25006": "it may only be read",
  "53100": "the disk is full",
  "53200": "there is not enough memory",
  "53300": "too many connections are open",
  "55P03": "another writer has held it for too long",
  "57P": "the server is shutting down or starting",
  "58": "the server's disk reports an error",
  XX001: "stored data is damaged",
  // The database lacks a table or column, has a rule in place of one, or stores a number that the store never writes.
  "42P01": "stored data is damaged",
  "42703": "stored data is damaged",
  "0A000": "stored data is damaged",
  "22003": "stored data is damaged",
  XX002: "an index is damaged",
};

const damages: ReadonlySet<string | undefined> = new Set([causes["XX001"], causes["XX002"]]);

const lostConnection = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|08...|57P0[1-5])$/;
const lostMessage =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect/;

/** Whether the connection was lost: the server restarts, or the network was interrupted. A retry may succeed. */
export function isLostConnection(error: unknown): boolean {
  if (isDeadlineError(error)) return true;
  const original = originalOf(error);
  return lostConnection.test(codeOf(original)) || (original instanceof Error && lostMessage.test(original.message));
}

/** Whether the database cannot be written to now: it does not answer, or another writer holds the lock. */
export function isBlocked(error: unknown): boolean {
  return isLostConnection(error) || codeOf(originalOf(error)) === "55P03";
}

/** Whether a conflict with another transaction undid this one. */
export function isContention(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(originalOf(error)));
}

/**
 * Converts a known error of the database to `unavailable` with its cause, without the address. Any other error is returned unchanged. The original
 * error is kept as `cause` for `isLostConnection` and `isContention`.
 */
export function postgresError(error: unknown): unknown {
  if (ToolError.is(error)) return error;
  const shown = shownError(error);
  return shown === error ? error : Object.assign(shown as Error, { cause: error });
}

function shownError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "54000") {
    return new ToolError("too_large", "record: its indexed fields together are longer than an index can hold");
  }
  const key = [code, code.slice(0, 3), code.slice(0, 2)].find((one) => causes[one] !== undefined);
  const cause = key === undefined ? undefined : causes[key];
  if (cause !== undefined) return unavailable(cause);
  if (error instanceof Error && error.message.includes("timeout exceeded when trying to connect")) {
    return unavailable("its host does not answer");
  }
  return isLostConnection(error) ? unavailable("the connection was lost") : error;
}

/** The error for stored data that this program cannot have written. */
export function damagedError(reason: string): ToolError {
  const error = unavailable("stored data is damaged");
  error.cause = new Error(reason);
  return error;
}

/** The generation that a query found. @throws ToolError `unavailable` when the store cannot have written it */
export function storedGeneration(value: unknown): number {
  const generation = Number(value ?? Number.NaN);
  if (Number.isSafeInteger(generation) && generation >= 0) return generation;
  throw damagedError("its generation is not valid");
}

function unavailable(cause: string): ToolError {
  const hint = damages.has(cause)
    ? "The damage is not known. Check the database, and restore a backup."
    : "A write that fails with this error is not stored; earlier writes are.";
  return new ToolError("unavailable", `the store: ${cause}`, hint);
}

function originalOf(error: unknown): unknown {
  return ToolError.is(error) ? error.cause : error;
}

function codeOf(error: unknown): string {
  // Node tries every address of a host and reports the failures together.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
