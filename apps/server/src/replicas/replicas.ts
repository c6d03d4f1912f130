import { randomUUID } from "node:crypto";
import type { Store } from "@toolpacks/core";
import { removeValuesOf } from "@toolpacks/store";
import { createInteractiveCalls, type InteractiveCalls } from "@toolpacks/surface";
import type { RateLimiter } from "../access/rate-limiter.ts";
import type { Settings } from "../config/settings.ts";
import type { Log } from "../log.ts";
import { storeDriver } from "../stores/open-store.ts";
import { openChangeFeed } from "./change-feed.ts";
import { createLocalBuses, openSharedBuses, type EventBuses } from "./event-bus.ts";
import { expiringKinds } from "./replica-kinds.ts";
import { createStoreExchange } from "./store-exchange.ts";

/** Services that span all servers of a shared store. */
export interface Replicas {
  /** For `attach`: a client may send the answer to a question to any replica. */
  readonly interactiveCalls: InteractiveCalls;
  /** For `createMcpHandler`: changes that one replica publishes reach the clients of all. */
  readonly eventBuses: EventBuses;
  /** Counts the requests of all replicas together. Undefined: there are no other replicas. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Cancels calls that wait for answers. To be called before the host ends. */
  close(): Promise<void>;
}

/** Opens the services of the settings' store. Without a shared store, questions and events stay in this process. */
export async function openReplicas({
  settings,
  log,
}: {
  readonly settings: Pick<Settings, "store">;
  readonly log: Log;
}): Promise<Replicas> {
  const { value: address } = settings.store;
  const driver = storeDriver(settings.store);
  const store = await driver.openExchange?.(address);
  const rateLimiter = await driver.openRateLimiter?.(address);
  if (store === undefined) return oneServer(log);
  const replicas = await shareOver(store, log);
  return {
    ...replicas,
    rateLimiter,
    async close() {
      await replicas.close();
      await rateLimiter?.end();
      await store.end().catch((error: unknown) => log.debug(`the store of the replicas: ${String(error)}`));
    },
  };
}

function oneServer(log: Log): Replicas {
  const interactiveCalls = createInteractiveCalls();
  return {
    interactiveCalls,
    eventBuses: createLocalBuses(log),
    rateLimiter: undefined,
    close: async () => interactiveCalls.close(),
  };
}

const sweepMs = 60_000;

/** @param store the store that holds nothing but the records of replicas */
export async function shareOver(store: Store, log: Log): Promise<Omit<Replicas, "rateLimiter">> {
  const process = randomUUID();
  const feed = openChangeFeed(store, (error) => log.debug(`the store of the replicas: ${String(error)}`));
  const exchange = createStoreExchange({ process, store, feed, log });
  const interactiveCalls = createInteractiveCalls(exchange);
  const eventBuses = await openSharedBuses({ process, store, feed, log });
  // A replica that is killed leaves its records.
  const sweep = setInterval(() => {
    removeExpired(store).catch((error: unknown) => log.debug(`the store of the replicas: ${String(error)}`));
  }, sweepMs).unref();
  return {
    interactiveCalls,
    eventBuses,
    async close() {
      clearInterval(sweep);
      const ended = exchange.end();
      interactiveCalls.close();
      eventBuses.close();
      await ended.catch(() => {});
      feed.close();
    },
  };
}

/** Removes expired records, with the values that belong to them. */
export async function removeExpired(store: Store): Promise<void> {
  for (const kind of expiringKinds) {
    for (;;) {
      const filter = { expiresAt: { lt: Date.now() } };
      const { items } = await store.query(kind, { filter, limit: 500, fields: [], includeClosed: true });
      if (items.length === 0) break;
      await store.transaction(async (inside) => {
        for (const { id } of items) await inside.delete(kind, id);
      });
      for (const { id } of items) await removeValuesOf(store, id);
    }
  }
}
