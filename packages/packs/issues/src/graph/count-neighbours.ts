import { blockingTypes, dependsOn, holdsBack, isClosed, type Issue } from "../issue-record.ts";
import type { Draft } from "./draft.ts";

/** Numbers of the issues around an issue, by its id, where they changed. */
export interface NeighbourCounts {
  /** Issues that depend on it in any way. */
  readonly dependents: ReadonlyMap<string, number>;
  /** Open issues that it blocks directly, without those that wait for its children. A closed issue blocks none. */
  readonly blocked: ReadonlyMap<string, number>;
}

type Pace = (() => Promise<void>) | undefined;

export async function countNeighbours(draft: Draft, changed: readonly string[], pace: Pace): Promise<NeighbourCounts> {
  return { dependents: await countDependents(draft, changed, pace), blocked: await countBlocked(draft, changed, pace) };
}

async function countDependents(draft: Draft, changed: readonly string[], pace: Pace): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of changed) {
    await pace?.();
    const [before, after] = [await draft.stored(id), await draft.get(id)];
    if (before === undefined && after !== undefined)
      counts.set(id, (await draft.dependents(id, { includeClosed: true })).length);
    const was = before === undefined ? [] : dependsOn(before);
    const is = after === undefined ? [] : dependsOn(after);
    for (const { target, step } of differences(was, is)) {
      // The dependents of a new issue are counted above.
      const known = await draft.stored(target);
      if (known === undefined) continue;
      counts.set(target, (counts.get(target) ?? known.graph?.dependents ?? 0) + step);
    }
  }
  return counts;
}

async function countBlocked(draft: Draft, changed: readonly string[], pace: Pace): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  /** Issues that are counted anew, so that the changes of their neighbours are included already. */
  const recounted = new Set<string>();
  for (const id of changed) {
    await pace?.();
    const [before, after] = [await draft.stored(id), await draft.get(id)];
    if (after === undefined) continue;
    if (!isHolding(after) || !isHolding(before)) {
      recounted.add(id);
      counts.set(id, await countOpenBlocked(draft, id));
    }
  }
  for (const id of changed) {
    await pace?.();
    for (const { target, step } of differences(blocks(await draft.stored(id)), blocks(await draft.get(id)))) {
      if (recounted.has(target) || !isHolding(await draft.get(target))) continue;
      counts.set(target, (counts.get(target) ?? (await draft.stored(target))?.graph?.blockedCount ?? 0) + step);
    }
  }
  return counts;
}

async function countOpenBlocked(draft: Draft, id: string): Promise<number> {
  if (!isHolding(await draft.get(id))) return 0;
  let count = 0;
  for (const one of await draft.dependents(id, { includeClosed: false })) {
    if (blocks(await draft.get(one)).includes(id)) count += 1;
  }
  return count;
}

/** The ids that may block an issue. None blocks a closed issue. */
function blocks(issue: Issue | undefined): readonly string[] {
  return issue === undefined || isClosed(issue) ? [] : dependsOn(issue, ...blockingTypes);
}

function isHolding(issue: Issue | undefined): boolean {
  return issue !== undefined && holdsBack(issue);
}

function differences(was: readonly string[], is: readonly string[]) {
  return [
    ...is.filter((target) => !was.includes(target)).map((target) => ({ target, step: 1 })),
    ...was.filter((target) => !is.includes(target)).map((target) => ({ target, step: -1 })),
  ];
}
