import { z } from "zod";
import { describeIssues } from "../problems.ts";
import { ToolError } from "../tool-error.ts";
import type { PreparedKind } from "./kind-layout.ts";

/**
 * What is wrong with the data of a stored record. Undefined where the kind's schema admits it. Fields that the schema does not name are admitted at
 * the root: a newer declaration of the kind may have written them.
 */
export function storedProblem({ stored }: PreparedKind, data: unknown): string | undefined {
  try {
    const { error } = z.core.safeParse(stored, data);
    return error && describeIssues(error.issues, stored).replaceAll(/(^|; )args: /g, "$1record: ");
  } catch (error) {
    // A recursive schema on data that is nested too deep.
    if (error instanceof RangeError) return "record: it is nested too deep";
    throw error;
  }
}

/** @throws ToolError `unavailable` for a record that its kind does not admit */
export function checkStored<Of extends { readonly id: string; readonly data: unknown }>(
  kind: PreparedKind,
  record: Of,
): Of {
  const problem = storedProblem(kind, record.data);
  if (problem === undefined) return record;
  throw damagedRecord(kind.kind.name, record.id, problem);
}

/** The failure for a stored record that another program wrote, or that an older declaration of its kind admitted. */
export function damagedRecord(kind: string, id: string, problem: string): ToolError {
  return new ToolError(
    "unavailable",
    `${kind} ${JSON.stringify(id)}: the stored record is damaged: ${problem}`,
    "`toolpacks doctor` lists such records. Correct them in an export, and import it.",
  );
}
