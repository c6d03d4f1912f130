import { z } from "zod";
import type { FieldValue } from "./field-values.ts";

const issue = z.string().optional();
const ref = z.string().optional().describe("external_ref of the issue");
const value = z.union([z.string(), z.array(z.string()).readonly()]);
const notice = z.object({ issue, ref, problem: z.string() });

/** What a synchronization would change, and what it has changed. */
export const syncReport = z.object({
  changes: z.array(
    z.object({
      action: z.enum(["create here", "create there", "update here", "update there", "link"]),
      issue,
      ref,
      title: z.string(),
      fields: z.array(z.string()).optional(),
    }),
  ),
  conflicts: z.array(z.object({ issue: z.string(), ref: z.string(), field: z.string(), here: value, there: value })),
  notices: z.array(notice).describe("what a person has to know or decide"),
  applied: z
    .object({
      done: z.int(),
      failures: z.array(notice),
      left: z.int().describe("changes that were not begun"),
      stopped: z.string().optional().describe("why the rest was not begun"),
    })
    .optional(),
});

export type SyncReport = z.output<typeof syncReport>;
export type DescribedChange = SyncReport["changes"][number];
/** Something that a person has to know or decide. */
export type SyncNotice = z.output<typeof notice>;
export type AppliedSync = NonNullable<SyncReport["applied"]>;

const actionWidth = "update there".length;

/** The report in lines: changes, conflicts, notices, failures, and a summary. */
export function renderReport({ changes, conflicts, notices, applied }: SyncReport): string {
  const row = (what: string, { issue: id, ref: there }: Pick<SyncNotice, "issue" | "ref">, text: string) => {
    const names = id !== undefined && there !== undefined ? `${id} (${there})` : (id ?? there);
    return [what.padEnd(actionWidth), names, text].filter(Boolean).join("  ");
  };
  return [
    ...changes.map((one) =>
      row(one.action, one, one.fields === undefined ? one.title : `${one.fields.join(", ")}: ${one.title}`),
    ),
    ...conflicts.map((one) =>
      row("conflict", one, `${one.field}: here ${renderValue(one.here)}, there ${renderValue(one.there)}`),
    ),
    ...notices.map((one) => row("notice", one, one.problem)),
    ...(applied?.failures ?? []).map((one) => row("failed", one, one.problem)),
    renderCounts(changes, conflicts.length),
    ...(conflicts.length > 0
      ? ["to decide conflicts: edit one side, or apply with resolve, for some issues with only"]
      : []),
    ...(applied === undefined ? [] : [`done ${applied.done}, failed ${applied.failures.length}, left ${applied.left}`]),
    ...(applied?.stopped === undefined ? [] : [`stopped: ${applied.stopped}; run again for the rest`]),
    ...(applied === undefined && changes.length > 0 ? ["with apply the changes are made"] : []),
  ].join("\n");
}

function renderCounts(changes: readonly DescribedChange[], conflictCount: number): string {
  const counts = Map.groupBy(changes, ({ action }) => action);
  const parts = [...counts].map(([action, all]) => `${all.length} to ${action}`);
  if (conflictCount > 0) parts.push(`${conflictCount} ${conflictCount === 1 ? "conflict" : "conflicts"}`);
  return parts.join(", ") || "nothing to change";
}

const maxShown = 60;

/** A value as one short text in quotes. */
function renderValue(one: FieldValue): string {
  const text = typeof one === "string" ? one : one.join(", ");
  return JSON.stringify(text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`);
}
