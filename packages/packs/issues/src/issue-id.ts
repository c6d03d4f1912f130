import { randomInt } from "node:crypto";
import { everyRecord, type Store } from "@toolpacks/core";
import type { IssueKind } from "./graph/stored-issues.ts";
import { dependsOn, type Issue } from "./issue-record.ts";

const digits = "0123456789abcdefghijklmnopqrstuvwxyz";
const shortest = 4;

/** How likely it may be that two machines, which each have as many issues as this store, ever gave the same id. */
const risk = 1e-4;

export interface NewIssue {
  readonly issue: Issue;
  readonly store: Store;
  readonly kind: IssueKind;
  readonly prefix: string;
}

/**
 * A child is numbered after its parent: `bd-a1b2.3`. Any other issue has a random part, `bd-a1b2`, which grows with the store, so that
 * machines that never spoke do not give the same one.
 */
export async function newIssueId({ issue, store, kind, prefix }: NewIssue): Promise<string> {
  const [parent, ...others] = dependsOn(issue, "parent-child");
  if (parent !== undefined && others.length === 0) return `${parent}.${await nextChild(parent, store, kind)}`;
  const length = randomLength(await store.generation());
  return `${prefix}-${Array.from({ length }, () => digits[randomInt(digits.length)]).join("")}`;
}

/** @param issues at most so many are there */
export function randomLength(issues: number): number {
  return Math.max(shortest, Math.ceil(Math.log((issues + 1) ** 2 / risk) / Math.log(digits.length)));
}

async function nextChild(parent: string, store: Store, kind: IssueKind): Promise<number> {
  let last = 0;
  const filter = { "graph.parents": { contains: parent } };
  for await (const { id } of everyRecord(store, kind, { filter, includeClosed: true, fields: [] })) {
    const number = id.startsWith(`${parent}.`) ? Number(id.slice(parent.length + 1)) : 0;
    if (Number.isSafeInteger(number)) last = Math.max(last, number);
  }
  // A child may since have been moved away from its parent, and keeps its id.
  while ((await store.get(kind, `${parent}.${last + 1}`)) !== undefined) last += 1;
  return last + 1;
}
