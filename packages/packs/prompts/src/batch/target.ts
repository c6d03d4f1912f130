import { randomUUID } from "node:crypto";
import type { Target } from "./batch-input.ts";

/** Returns the reference to a value. */
export type Literal = (value: unknown) => string;

/** Why a target is none. Undefined: it is one. */
export function targetProblem({ file, mode, passage, kind, field, record }: Target): string | undefined {
  if ((file === undefined) === (kind === undefined)) return "to: expected either file or kind";
  if (kind !== undefined) {
    if (field === undefined) return "to.field: expected the record's field that gets the answer";
    if (record !== undefined && Object.hasOwn(record, field)) return `to.record.${field}: it gets the answer`;
    return mode === undefined && passage === undefined ? undefined : "to: a record has neither mode nor passage";
  }
  if (field !== undefined || record !== undefined) return "to: a file has neither field nor record";
  return mode === undefined || passage === undefined ? undefined : "to: expected one of mode and passage";
}

/** The tools that write it. */
export function toolsOf({ kind, mode = "create", passage }: Target): readonly string[] {
  if (kind !== undefined) return ["store_put"];
  if (passage !== undefined) return ["fs_edit"];
  return mode === "append" || mode === "prepend" ? ["fs_edit", "fs_write"] : ["fs_write"];
}

/**
 * The workflow step that writes an answer. Appending makes a missing file.
 *
 * @param answer the reference to the answer
 */
export function writingStep(
  { file, kind, field = "", record = {}, mode = "create", passage }: Target,
  answer: string,
  literal: Literal,
): object {
  if (kind !== undefined) {
    const fields = Object.entries(record).map(([name, value]) => [name, literal(value)] as const);
    const whole = { ...Object.fromEntries(fields), [field]: answer };
    // The same record of a batch that is resumed changes nothing twice.
    return { tool: "store_put", params: { kind: literal(kind), record: whole, operationId: randomUUID() } };
  }
  const path = literal(file);
  if (passage !== undefined)
    return { tool: "fs_edit", params: { path, edits: [{ old: literal(passage), new: answer }] } };
  const line = `${answer}\n`;
  const write = { tool: "fs_write", params: { path, content: line, parents: true } };
  if (mode === "create") return write;
  if (mode === "replace") return { ...write, params: { ...write.params, overwrite: true } };
  return { tool: "fs_edit", params: { path, edits: [{ [mode]: line }] }, fallback: [write] };
}
