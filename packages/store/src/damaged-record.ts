import { z } from "zod";
import { describeIssues, ToolError } from "@toolpacks/core";
import type { CompiledKind } from "./kind-layout.ts";

/**
 * The problem of a stored record's data. Undefined if it matches the schema of the kind. Unknown fields at the root are allowed, because a newer
 * version of the kind may have written them.
 */
export function storedProblem({ stored }: CompiledKind, data: unknown): string | undefined {
  try {
    const { error } = z.core.safeParse(stored, data);
    return error && describeIssues(error.issues, stored).replaceAll(/(^|; )args: /g, "$1record: ");
  } catch (error) {
    // A recursive schema overflows the stack on data that is nested too deep.
    if (error instanceof RangeError) return "record: it is nested too deep";
    throw error;
  }
}

/** Checks a stored record. @throws ToolError `unavailable` when it does not match the schema of its kind */
export function checkStored<Of extends { readonly id: string; readonly data: unknown }>(
  kind: CompiledKind,
  record: Of,
): Of {
  const problem = storedProblem(kind, record.data);
  if (problem === undefined) return record;
  throw damagedRecord(kind.kind.name, record.id, problem);
}

/** The error for a damaged record, which another program or an older version of the kind wrote. */
export function damagedRecord(kind: string, id: string, problem: string): ToolError {
  const error = new ToolError(
    "unavailable",
    `${kind} ${JSON.stringify(id)}: the stored record is damaged: ${problem}`,
    "`toolpacks doctor` lists such records. Correct them in an export, and import it.",
  );
  return Object.defineProperty(error, brand, { value: true });
}

/** Marks the error in any copy of this package. Its code is also that of a store that becomes available again. */
const brand = Symbol.for("toolpacks.damagedRecord");

/** Whether an error is about a damaged record. A retry fails again. */
export function isDamagedRecord(error: unknown): boolean {
  return error instanceof Error && brand in error;
}
