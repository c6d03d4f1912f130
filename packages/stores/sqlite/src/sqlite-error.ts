import { ToolError } from "@toolpacks/core";

/** SQLite's primary result codes, as a person understands them. */
const causes: Readonly<Record<number, string>> = {
  5: "another process has been writing to it for too long",
  7: "there is not enough memory",
  8: "the file may only be read",
  10: "the disk reports an error",
  11: "the file is damaged",
  13: "the disk is full",
  14: "the file cannot be opened",
  23: "access to it is not permitted",
  26: "the file is not a SQLite database",
};

const busy = 5;

/** The primary result code of an error of SQLite; undefined for any other. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

/** Turns an error of SQLite that is no mistake of ours into `unavailable` with its cause. Any other is returned as it is. */
export function sqliteError(error: unknown): unknown {
  const code = resultCode(error);
  const cause = code === undefined ? undefined : causes[code];
  if (cause === undefined) return error;
  const failure = new ToolError("unavailable", `the store: ${cause}`, "What was acknowledged before is kept.");
  failure.cause = error;
  return failure;
}

/** Whether another process holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && resultCode(error.cause) === busy;
}
