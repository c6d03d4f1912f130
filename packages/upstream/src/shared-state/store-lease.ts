import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { defineKind, type Store } from "@toolpacks/core";
import { z } from "zod";

/** How often a holder renews its lease, in ms. */
const renewMs = 2_000;
/** A lease that was not renewed for this long has expired, in ms. */
const leaseMs = 10_000;
/** Pause between two attempts to take a lease, in ms. A random part is added. */
const pauseMs = 50;

/** Who works on something that one process does at a time. Its record stays when its holder is killed. */
const lease = defineKind({
  name: "remote_lease",
  description: "work on another server that one process does at a time",
  schema: () =>
    z.strictObject({
      holder: z.string().max(100),
      /** Number of renewals. */
      renewals: z.int().min(0),
    }),
});

export interface LeaseTimes {
  readonly renewMs: number;
  readonly leaseMs: number;
}

/**
 * Runs work while holding a lease in a store. The lease excludes all processes that use the store, and this one. It expires when its holder has not
 * renewed it for a while: each waiting process measures that with its own clock, so the clocks of the machines may differ.
 */
export async function withLease<T>(
  {
    store,
    id,
    times = { renewMs, leaseMs },
  }: { readonly store: Store; readonly id: string; readonly times?: LeaseTimes },
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  await take(store, { id, holder, leaseMs: times.leaseMs });
  const timer = setInterval(() => void renew(store, id, holder).catch(() => {}), times.renewMs);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // If this fails, the lease expires.
    await release(store, id, holder).catch(() => {});
  }
}

interface Taking {
  readonly id: string;
  readonly holder: string;
  readonly leaseMs: number;
}

async function take(store: Store, { id, holder, leaseMs: maxMs }: Taking): Promise<void> {
  /** The generation of the other holder's lease, and when this process saw it first. */
  let seen: { readonly generation: number; readonly at: number } | undefined;
  for (;;) {
    const found = await store.get(lease, id);
    const now = performance.now();
    if (found?.generation !== seen?.generation) seen = found && { generation: found.generation, at: now };
    if (seen === undefined || now - seen.at > maxMs) {
      const isTaken = await store.transaction(async (inside) => {
        // It was not renewed or taken since.
        if ((await inside.get(lease, id))?.generation !== seen?.generation) return false;
        await inside.put(lease, { holder, renewals: 0 }, { id });
        return true;
      });
      if (isTaken) return;
    } else await wait(pauseMs * (1 + Math.random()));
  }
}

function renew(store: Store, id: string, holder: string): Promise<void> {
  return store.transaction(async (inside) => {
    const found = await inside.get(lease, id);
    if (found?.data.holder !== holder) return;
    await inside.put(lease, { holder, renewals: found.data.renewals + 1 }, { id });
  });
}

function release(store: Store, id: string, holder: string): Promise<void> {
  return store.transaction(async (inside) => {
    if ((await inside.get(lease, id))?.data.holder === holder) await inside.delete(lease, id);
  });
}
