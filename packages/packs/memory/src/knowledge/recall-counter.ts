import type { Store } from "@toolpacks/core";
import { observation } from "./observation.ts";
import { recallCount } from "./recall-count.ts";

/** Counts recalls after the response. No call waits for a count: a lost count changes the ranking little. */
export interface RecallCounter {
  /** @param store a store opened on the observation's workspace */
  count(store: Store, id: string): void;
  /** Writes the pending counts. Never rejects. */
  flush(): Promise<void>;
}

/** Delay before a write, so that a burst of recalls is one write. */
const delayMs = 2_000;
const maxPending = 1_000;

export function createRecallCounter(): RecallCounter {
  const pending = new Map<string, Map<string, { store: Store; times: number }>>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();
  const writeAll = async () => {
    const counted = [...pending.values()];
    pending.clear();
    size = 0;
    for (const ids of counted) await write(ids).catch(() => {});
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    written = written.then(writeAll);
    return written;
  };
  return {
    count(store, id) {
      const counts = pending.get(store.workspace) ?? new Map<string, { store: Store; times: number }>();
      pending.set(store.workspace, counts);
      const known = counts.get(id);
      if (known === undefined && ++size > maxPending) return;
      counts.set(id, { store, times: (known?.times ?? 0) + 1 });
      timer ??= setTimeout(() => void flush(), delayMs).unref();
    },
    flush,
  };
}

async function write(counts: ReadonlyMap<string, { readonly store: Store; readonly times: number }>): Promise<void> {
  const [first] = counts.values();
  if (first === undefined) return;
  await first.store.transaction(async (store) => {
    for (const [id, { times }] of counts) {
      // The observation may have been deleted since.
      if ((await store.get(observation, id)) === undefined) continue;
      const before = (await store.get(recallCount, id))?.data.count ?? 0;
      await store.put(recallCount, { count: before + times }, { id });
    }
  });
}
