/** SQLite's errors as errors of a store, with the cause and what to do. */
import { ToolError } from "@toolpacks/core";

interface Cause {
  readonly cause: string;
  /** What to do, and the state of the data. */
  readonly hint: string;
}

const notKept = "A write that fails with this error is not stored; earlier writes are.";
const damaged = "What it still holds is not known. Run `toolpacks doctor`, and restore a backup.";

/** Descriptions of SQLite's primary result codes. */
const causes: Readonly<Record<number, Cause>> = {
  5: { cause: "another process has been writing to it for too long", hint: `${notKept} Try again.` },
  7: { cause: "there is not enough memory", hint: notKept },
  8: { cause: "the file may only be read", hint: "Make the file and its folder writable, or use another store." },
  10: { cause: "the disk reports an error", hint: "Check the disk. Run `toolpacks doctor`, which checks the store." },
  11: { cause: "the file is damaged", hint: damaged },
  13: { cause: "the disk is full", hint: `${notKept} Make room on the disk.` },
  14: { cause: "the file cannot be opened", hint: "Check that the path is a file, and who may read and write it." },
  23: { cause: "access to it is not permitted", hint: "Check who may read and write the file and its folder." },
  26: { cause: "the file is not a SQLite database", hint: "Name another file, or restore a backup of the store." },
};

const busy = 5;
const corrupt = 11;
const full = 13;

/** The file of shared memory cannot be made larger (`SQLITE_IOERR_SHMSIZE`). */
const noRoomForMemory = 4_874;

/** SQLITE_CONSTRAINT and SQLITE_MISMATCH. The store's statements violate no constraint, so that only a damaged file causes them. */
const damageCodes: ReadonlySet<number> = new Set([19, 20]);

/** Node's code for a stored number that is too large for JavaScript. */
const outOfRange = "ERR_OUT_OF_RANGE";

/** The messages of SQLITE_ERROR for a table, index or column that the file lacks, and for a record that is not JSON. */
const damageMessage = /^(no such |malformed JSON$)/;

/** The primary result code of an error of SQLite; undefined for any other. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && error.code === "ENOSPC") return full;
  if ("code" in error && error.code === outOfRange) return corrupt;
  if (!("errcode" in error) || typeof error.errcode !== "number") return undefined;
  if (error.errcode === noRoomForMemory) return full;
  const code = error.errcode & 0xff;
  return damageCodes.has(code) || damageMessage.test(error.message) ? corrupt : code;
}

/** Converts a known error of SQLite to `unavailable` with its cause. Any other error is returned unchanged. */
export function sqliteError(error: unknown): unknown {
  const code = resultCode(error);
  const known = code === undefined ? undefined : causes[code];
  return known === undefined ? error : unavailable(known, error);
}

/** The error for stored data that this program cannot have written. */
export function damagedError(error: unknown): ToolError {
  return unavailable({ cause: "the file is damaged", hint: damaged }, error);
}

function unavailable({ cause, hint }: Cause, error: unknown): ToolError {
  const failure = new ToolError("unavailable", `the store: ${cause}`, hint);
  failure.cause = error;
  return failure;
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && resultCode(error.cause) === busy;
}
