import type { FieldValue } from "./field-values.ts";
import type { SyncChange, SyncPlan } from "./plan-sync.ts";
import type { SyncSetting } from "./sync-setting.ts";

/** A change as `--json` shows it. */
export interface DescribedChange {
  readonly action: "create here" | "create there" | "update here" | "update there" | "link";
  readonly issue?: string;
  /** The `external_ref` of the issue. */
  readonly ref?: string;
  readonly title: string;
  readonly fields?: readonly string[];
}

export interface DescribedConflict {
  readonly issue: string;
  readonly ref: string;
  readonly field: string;
  readonly here: FieldValue;
  readonly there: FieldValue;
}

export interface DescribedPlan {
  readonly changes: readonly DescribedChange[];
  readonly conflicts: readonly DescribedConflict[];
  readonly notices: readonly { readonly issue?: string; readonly ref?: string; readonly problem: string }[];
}

/** Describes a plan for people and for `--json`. */
export function describePlan({ changes, notices }: SyncPlan, { mapping }: SyncSetting): DescribedPlan {
  const refOf = (ref: string) => mapping.refPrefix + ref;
  const conflicts = changes.flatMap((change) => {
    if (change.kind !== "linked") return [];
    return change.conflicts.map((one) => ({ issue: change.issue.id, ref: refOf(change.item.ref), ...one }));
  });
  return {
    changes: changes.flatMap((change) => describeChange(change, refOf)),
    conflicts,
    notices: notices.map(({ ref, ...notice }) => ({ ...notice, ...(ref !== undefined && { ref: refOf(ref) }) })),
  };
}

function describeChange(change: SyncChange, refOf: (ref: string) => string): readonly DescribedChange[] {
  if (change.kind === "create-here") {
    const { ref, values } = change.item;
    return [{ action: "create here", ref: refOf(ref), title: String(values.title) }];
  }
  const { id: issue, title, externalRef } = change.issue;
  if (change.kind === "create-there") return [{ action: "create there", issue, title }];
  const names = { issue, ref: refOf(change.item.ref), title };
  const here = Object.keys(change.writeHere);
  const there = Object.keys(change.writeThere);
  return [
    ...(externalRef === undefined ? [{ action: "link" as const, ...names }] : []),
    ...(here.length === 0 ? [] : [{ action: "update here" as const, ...names, fields: here }]),
    ...(there.length === 0 ? [] : [{ action: "update there" as const, ...names, fields: there }]),
  ];
}

const actionWidth = "update there".length;

/** The lines of a plan. */
export function renderPlan({ changes, conflicts, notices }: DescribedPlan): readonly string[] {
  return [
    ...changes.map(({ action, fields, title, ...names }) => {
      const what = fields === undefined ? title : `${fields.join(", ")}: ${title}`;
      return `${action.padEnd(actionWidth)}  ${renderNames(names)}  ${what}`;
    }),
    ...conflicts.map(({ field, here, there, ...names }) => {
      const sides = `here ${renderValue(here)}, there ${renderValue(there)}`;
      return `${"conflict".padEnd(actionWidth)}  ${renderNames(names)}  ${field}: ${sides}`;
    }),
    ...notices.map(({ problem, ...names }) => {
      const named = renderNames(names);
      return `${"notice".padEnd(actionWidth)}  ${named === "" ? "" : `${named}  `}${problem}`;
    }),
    renderCounts({ changes, conflicts, notices }),
  ];
}

function renderNames({ issue, ref }: { readonly issue?: string; readonly ref?: string }): string {
  if (issue === undefined) return ref ?? "";
  return ref === undefined ? issue : `${issue} (${ref})`;
}

function renderCounts({ changes, conflicts }: DescribedPlan): string {
  const counts = Map.groupBy(changes, ({ action }) => action);
  const parts = [...counts].map(([action, all]) => `${all.length} to ${action}`);
  if (conflicts.length > 0) parts.push(`${conflicts.length} ${conflicts.length === 1 ? "conflict" : "conflicts"}`);
  return parts.join(", ") || "nothing to change";
}

const maxShown = 60;

/** A value as one short text in quotes. */
function renderValue(value: FieldValue): string {
  const text = typeof value === "string" ? value : value.join(", ");
  return JSON.stringify(text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`);
}
