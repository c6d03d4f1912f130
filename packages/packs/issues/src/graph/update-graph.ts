import {
  blockingTypes,
  dependsOn,
  gateTime,
  holdsBack,
  isClosed,
  utc,
  waitsOf,
  type Graph,
  type Issue,
} from "../issue-record.ts";
import { countNeighbours } from "./count-neighbours.ts";
import type { Draft } from "./draft.ts";
import { heldBy, initialReadiness, readiness, type FoundReadiness, type Held, type IssueFacts } from "./readiness.ts";

interface UpdateGraphOptions {
  /** Returns the age for a new issue, greater than any before. */
  readonly newAge: () => number;
  readonly pace?: (() => Promise<void>) | undefined;
}

/**
 * Updates the derived field `graph` after some issues changed: of these issues, of the issues that they block or that wait for them among the children
 * of a parent, of their descendants, and of their dependencies. Other issues' graphs cannot change.
 *
 * Awaits `pace` between issues, because there may be many.
 */
export async function updateGraph(
  draft: Draft,
  changed: readonly string[],
  { newAge, pace }: UpdateGraphOptions,
): Promise<void> {
  const { dependents, blocked } = await countNeighbours(draft, changed, pace);
  const waiting = new Set(changed);
  const parents = new Set<string>();
  for (const id of changed) {
    await pace?.();
    for (const parent of await changedParents(draft, id)) parents.add(parent);
    if (hold(await draft.stored(id)) === hold(await draft.get(id))) continue;
    for (const one of await draft.dependents(id, { includeClosed: false })) waiting.add(one);
  }
  for (const parent of parents) {
    await pace?.();
    for (const one of await draft.waiters(parent)) waiting.add(one);
  }
  const held = new Map<string, Held>();
  const affected = new Set(waiting);
  const entered = new Set<string>();
  for (const id of waiting) {
    await pace?.();
    const found = await findHeld(draft, id);
    held.set(id, found);
    const stored = await draft.stored(id);
    const before = inheritedState(stored, heldBefore(stored));
    const after = inheritedState(await draft.get(id), found);
    if (before !== after) await addDescendants(draft, id, { affected, entered });
  }
  for (const id of new Set([...affected, ...dependents.keys(), ...blocked.keys()])) {
    await pace?.();
    const issue = await draft.get(id);
    if (issue === undefined) continue;
    const found = affected.has(id)
      ? readiness(...(await withAncestors(draft, { id, issue }, held)))
      : (issue.graph ?? initialReadiness);
    const graph = newGraph(issue, found, { newAge, dependents: dependents.get(id), blocked: blocked.get(id) });
    if (JSON.stringify(sorted(graph)) !== JSON.stringify(sorted(issue.graph))) draft.set(id, { ...issue, graph });
  }
}

interface GraphInputs {
  readonly newAge: () => number;
  /** Number of dependents; undefined if it did not change. */
  readonly dependents: number | undefined;
  /** Number of open issues that it blocks; undefined if it did not change. */
  readonly blocked: number | undefined;
}

function newGraph(
  issue: Issue,
  { state, from, blockers, until = "", under }: FoundReadiness,
  { newAge, dependents, blocked }: GraphInputs,
): Graph {
  const { age = newAge(), found, absent } = issue.graph ?? {};
  const waits = waitsOf(issue);
  return {
    state,
    from,
    blockers: [...blockers],
    blockerCount: blockers.length,
    ...(until !== "" && { until }),
    under: [...under],
    on: [...dependsOn(issue)],
    parents: [...dependsOn(issue, "parent-child")],
    ...(waits.length > 0 && { waits: waits.map(({ on }) => on) }),
    dependents: dependents ?? issue.graph?.dependents ?? 0,
    blockedCount: blocked ?? issue.graph?.blockedCount ?? 0,
    age,
    updated: utc(issue.updated_at),
    closed: utc(isClosed(issue) ? issue.closed_at : undefined),
    ...(found && { found }),
    ...(absent && { absent }),
  };
}

function sorted(graph: Graph | undefined): readonly unknown[] {
  return Object.entries(graph ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** How an issue holds others back, as a text to compare: until it changes, until a time, or not at all. */
function hold(issue: Issue | undefined): string {
  if (issue === undefined) return "";
  return holdsBack(issue) ? "until it changes" : (gateTime(issue) ?? "");
}

const notHeld: Held = { blockers: [], until: "" };

function heldBefore(issue: Issue | undefined): Held {
  return { blockers: issue?.graph?.blockers ?? [], until: issue?.graph?.until ?? "" };
}

/** The parents whose children changed for those that wait for them: with a child that is new, gone, closed or reopened, or holds others back in another way. */
async function changedParents(draft: Draft, id: string): Promise<readonly string[]> {
  const [before, after] = [await draft.stored(id), await draft.get(id)];
  const [was, is] = [before, after].map((issue) => (issue === undefined ? [] : dependsOn(issue, "parent-child")));
  if (before?.status !== after?.status || hold(before) !== hold(after)) return [...(was ?? []), ...(is ?? [])];
  return [...(was ?? []).filter((one) => !is?.includes(one)), ...(is ?? []).filter((one) => !was?.includes(one))];
}

async function findHeld(draft: Draft, id: string): Promise<Held> {
  const issue = await draft.get(id);
  if (issue === undefined || isClosed(issue)) return notHeld;
  const blockers = [];
  for (const target of dependsOn(issue, ...blockingTypes)) {
    const found = await draft.get(target);
    if (found !== undefined) blockers.push({ ...found, id: target });
  }
  const waits = [];
  for (const wait of waitsOf(issue)) {
    const hasOpen = await isNotEmpty(draft.children(wait.on, "open"));
    const hasClosed = hasOpen && wait.any && (await isNotEmpty(draft.children(wait.on, "closed")));
    waits.push({ ...wait, hasOpen, hasClosed });
  }
  return heldBy(blockers, waits);
}

async function isNotEmpty(items: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of items) return true;
  return false;
}

/** The state that an issue passes to its descendants, as a string to compare. A closed issue passes on none. */
function inheritedState(issue: Issue | undefined, { blockers, until }: Held): string {
  const parents = issue === undefined ? [] : dependsOn(issue, "parent-child");
  if (issue === undefined || isClosed(issue)) return JSON.stringify({ parents });
  const { status, defer_until: time } = issue;
  return JSON.stringify({
    parents,
    ...((status === "blocked" || blockers.length > 0) && { blocked: true }),
    ...(status === "deferred" && { deferred: true }),
    ...(time !== undefined && { time }),
    ...(until !== "" && { until }),
  });
}

interface Descent {
  readonly affected: Set<string>;
  /** Issues whose descendants are already in `affected`. */
  readonly entered: Set<string>;
}

async function addDescendants(draft: Draft, id: string, { affected, entered }: Descent): Promise<void> {
  const pending = [id];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    if (entered.has(one)) continue;
    entered.add(one);
    for (const child of await draft.dependents(one, { includeClosed: true })) {
      const issue = await draft.get(child);
      if (issue === undefined || !dependsOn(issue, "parent-child").includes(one)) continue;
      pending.push(child);
      affected.add(child);
    }
  }
}

/** An issue and its ancestors, with what holds each back: as it was found anew, otherwise as it is stored. */
async function withAncestors(
  draft: Draft,
  { id, issue }: { readonly id: string; readonly issue: Issue },
  held: ReadonlyMap<string, Held>,
): Promise<[IssueFacts & Held, readonly (IssueFacts & Held)[]]> {
  const withHeld = (one: string, data: Issue) => ({ ...data, id: one, ...(held.get(one) ?? heldBefore(data)) });
  const ancestors = new Map<string, IssueFacts & Held>();
  const queue = [...dependsOn(issue, "parent-child")];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const ancestor = ancestors.has(next) || next === id ? undefined : await draft.get(next);
    if (ancestor === undefined) continue;
    ancestors.set(next, withHeld(next, ancestor));
    queue.push(...dependsOn(ancestor, "parent-child"));
  }
  return [withHeld(id, issue), [...ancestors.values()]];
}
