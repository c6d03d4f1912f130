import { everyRecord } from "@toolpacks/store";
import { ToolError, type Kind, type Store } from "@toolpacks/core";
import { wakeupKind } from "./wakeup-kind.ts";

/** Interval at which every issue that runs wait for is read, in ms. A deleted issue is in no list of changes. */
const fullCheckMs = 600_000;

/**
 * Returns a function that makes the runs due whose issue is closed.
 *
 * @param issueKind the kind of issues, if their pack is mounted
 */
export function createIssueWatch(store: Store, issueKind: () => Kind | undefined): () => Promise<void> {
  const watched = new Set<string>();
  let generation = 0;
  let checkedAt = -Infinity;

  async function checkIssue(kind: Kind, issue: string): Promise<void> {
    if ((await store.get(kind, issue))?.closed === false) return;
    const due = new Date(Date.now()).toISOString();
    for await (const { id, data } of everyRecord(store, wakeupKind, { filter: { issue }, skipDamaged: true })) {
      if (data.due === undefined) await store.put(wakeupKind, { due }, { id, patch: true }).catch(ignoreMissing);
    }
    watched.delete(issue);
  }

  /** Adds the issues of runs that began to wait after a generation. Such a run may have read its issue before the issue was closed. */
  async function addWatched(kind: Kind, sinceGeneration: number): Promise<void> {
    const added = new Set<string>();
    const query = { filter: { issue: { exists: true } }, sinceGeneration, skipDamaged: true };
    for await (const { data } of everyRecord(store, wakeupKind, query)) {
      if (data.issue !== undefined && data.due === undefined) added.add(data.issue);
    }
    for (const issue of added) {
      watched.add(issue);
      await checkIssue(kind, issue);
    }
  }

  return async () => {
    const kind = issueKind();
    if (kind === undefined) return;
    const before = generation;
    const now = await store.generation();
    if (performance.now() - checkedAt > fullCheckMs) {
      checkedAt = performance.now();
      watched.clear();
      await addWatched(kind, 0);
    } else if (now !== before) {
      const changes = { sinceGeneration: before, includeClosed: true, skipDamaged: true, fields: [] };
      if (watched.size > 0)
        for await (const { id, closed } of everyRecord(store, kind, changes))
          if (closed && watched.has(id)) await checkIssue(kind, id);
      await addWatched(kind, before);
    }
    generation = now;
  };
}

function ignoreMissing(error: unknown): void {
  if (!ToolError.is(error) || error.code !== "not_found") throw error;
}
