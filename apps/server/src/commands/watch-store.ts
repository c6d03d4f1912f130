import { setTimeout as wait } from "node:timers/promises";
import type { OwnedStore } from "@toolpacks/core";

/** Interval of calls without a write, in ms. An issue that waits for a time becomes ready without one. */
const refreshMs = 30_000;

/** Debounce time of writes, in ms. */
const debounceMs = 100;

/** Calls a function, and calls it again after writes of any process, until SIGINT or SIGTERM. */
export async function watchStore(store: Pick<OwnedStore, "watch">, show: () => Promise<void>): Promise<void> {
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.abort());
  let changed = new AbortController();
  const stop = await store.watch(() => changed.abort());
  while (!ended.signal.aborted) {
    await show();
    await wait(refreshMs, undefined, { signal: AbortSignal.any([changed.signal, ended.signal]) }).catch(() => {});
    if (changed.signal.aborted) await wait(debounceMs, undefined, { signal: ended.signal }).catch(() => {});
    changed = new AbortController();
  }
  await stop();
}
