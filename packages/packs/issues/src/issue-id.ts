import { randomInt } from "node:crypto";
import { everyRecord } from "@toolpacks/store";
import type { Store } from "@toolpacks/core";
import type { IssueKind } from "./graph/draft.ts";
import { dependsOn, type Issue } from "./issue-record.ts";

const digits = "0123456789abcdefghijklmnopqrstuvwxyz";
const minRandomLength = 4;

/** Maximum probability that two machines, each with as many issues as this store, ever create the same id. */
const maxCollisionRisk = 1e-4;

export interface NewIssue {
  readonly issue: Issue;
  readonly store: Store;
  readonly kind: IssueKind;
  readonly prefix: string;
}

/**
 * Creates the id of a new issue. A child has its parent's id and a number: `bd-a1b2.3`. Any other issue has a random part: `bd-a1b2`. The random part
 * grows with the store, so that separate machines do not create the same id.
 */
export async function newIssueId({ issue, store, kind, prefix }: NewIssue): Promise<string> {
  const [parent, ...others] = dependsOn(issue, "parent-child");
  if (parent !== undefined && others.length === 0) return `${parent}.${await nextChild(parent, store, kind)}`;
  const length = randomLength(await store.generation());
  return `${prefix}-${Array.from({ length }, () => digits[randomInt(digits.length)]).join("")}`;
}

/** @param issues maximum number of existing issues */
export function randomLength(issues: number): number {
  return Math.max(minRandomLength, Math.ceil(Math.log((issues + 1) ** 2 / maxCollisionRisk) / Math.log(digits.length)));
}

async function nextChild(parent: string, store: Store, kind: IssueKind): Promise<number> {
  let last = 0;
  const filter = { "graph.parents": { contains: parent } };
  for await (const { id } of everyRecord(store, kind, { filter, includeClosed: true, fields: [] })) {
    const number = id.startsWith(`${parent}.`) ? Number(id.slice(parent.length + 1)) : 0;
    if (Number.isSafeInteger(number)) last = Math.max(last, number);
  }
  // A child keeps its id when it is moved to another parent.
  while ((await store.get(kind, `${parent}.${last + 1}`)) !== undefined) last += 1;
  return last + 1;
}
