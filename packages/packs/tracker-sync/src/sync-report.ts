import { z } from "zod";
import type { AppliedSync } from "./apply-sync.ts";
import type { FieldValue } from "./field-values.ts";
import type { SyncChange, SyncPlan } from "./plan-sync.ts";
import type { SyncSetting } from "./sync-setting.ts";

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
type DescribedChange = SyncReport["changes"][number];

/** Describes a plan, and what was applied of it. */
export function describePlan(
  { changes, notices }: SyncPlan,
  { mapping }: SyncSetting,
  applied?: AppliedSync,
): SyncReport {
  const refOf = (one: string) => mapping.refPrefix + one;
  return {
    changes: changes.flatMap((change) => describeChange(change, refOf)),
    conflicts: changes.flatMap((change) => {
      if (change.kind !== "linked") return [];
      return change.conflicts.map((one) => ({ issue: change.issue.id, ref: refOf(change.item.ref), ...one }));
    }),
    notices: notices.map((one) => ({ ...one, ...(one.ref !== undefined && { ref: refOf(one.ref) }) })),
    ...(applied && { applied: { ...applied, failures: [...applied.failures] } }),
  };
}

function describeChange(change: SyncChange, refOf: (one: string) => string): DescribedChange[] {
  if (change.kind === "create-here") {
    const { item } = change;
    return [{ action: "create here", ref: refOf(item.ref), title: String(item.values.title) }];
  }
  const { id, title, externalRef } = change.issue;
  if (change.kind === "create-there") return [{ action: "create there", issue: id, title }];
  const names = { issue: id, ref: refOf(change.item.ref), title };
  const here = Object.keys(change.writeHere);
  const there = Object.keys(change.writeThere);
  return [
    ...(externalRef === undefined ? [{ action: "link" as const, ...names }] : []),
    ...(here.length === 0 ? [] : [{ action: "update here" as const, ...names, fields: here }]),
    ...(there.length === 0 ? [] : [{ action: "update there" as const, ...names, fields: there }]),
  ];
}

const actionWidth = "update there".length;

/** The report in lines: changes, conflicts, notices, failures, and a summary. */
export function renderReport({ changes, conflicts, notices, applied }: SyncReport): string {
  const row = (what: string, names: Named, text: string) =>
    [what.padEnd(actionWidth), renderNames(names), text].filter(Boolean).join("  ");
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

interface Named {
  readonly issue?: string | undefined;
  readonly ref?: string | undefined;
}

function renderNames({ issue: id, ref: there }: Named): string {
  if (id === undefined) return there ?? "";
  return there === undefined ? id : `${id} (${there})`;
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
