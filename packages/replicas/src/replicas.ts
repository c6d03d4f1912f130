import { randomUUID } from "node:crypto";
import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { PackLog, Store } from "@toolpacks/core";
import { eventKind, openSharedBuses, reportFailure } from "./event-bus.ts";

/** What spans all servers of a shared store. */
export interface Replicas {
  /**
   * The bus of the change events of one scope, for `createMcpHandler`. A scope is what is served to one or more principals. Events of one scope do not
   * reach another one.
   */
  readonly bus: (scope: string) => ServerEventBus;
  close(): void;
}

const sweepMs = 60_000;

/** @param store the store that holds nothing but the records of replicas */
export async function openReplicas(store: Store, log: PackLog): Promise<Replicas> {
  const buses = await openSharedBuses({ process: randomUUID(), store, log });
  // A replica that is killed leaves its records.
  const sweep = setInterval(
    () => void removeExpired(store).catch((error: unknown) => reportFailure(log, error)),
    sweepMs,
  ).unref();
  return {
    bus: buses.of,
    close() {
      clearInterval(sweep);
      buses.close();
    },
  };
}

/** Removes expired records. */
export async function removeExpired(store: Store): Promise<void> {
  for (;;) {
    const filter = { expiresAt: { lt: Date.now() } };
    const { items } = await store.query(eventKind, { filter, limit: 500, fields: [] });
    if (items.length === 0) return;
    await store.transaction(async (inside) => {
      for (const { id } of items) await inside.delete(eventKind, id);
    });
  }
}
