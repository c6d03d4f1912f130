import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { defineKind, withTimeout, type PackLog, type Page, type Store } from "@toolpacks/core";
import { z } from "zod";
import { followChanges } from "./change-feed.ts";

/** Time for which events are kept, in ms. */
const retentionMs = 300_000;
/** Time that a start waits for the store, in ms. A start without it reports a change of every list later. */
const startTimeoutMs = 2_000;
/** Number of events that are written or read at once. */
const maxBatch = 500;
/** Maximum number of events that wait for the store. */
const maxWaiting = 10_000;

/** A change that every replica reports to its clients. No pack, tool or workspace sees the records. */
export const eventKind = defineKind({
  name: "event",
  schema: () =>
    z.object({
      scope: z.string(),
      process: z.string().describe("the process that published it and has delivered it to its own clients"),
      event: z.string().describe("as JSON"),
      expiresAt: z.int().describe("when it is removed, in ms since 1970"),
    }),
  indexes: ["expiresAt"],
});

type EventRecord = z.output<typeof eventKind.schema>;
const listsChanged: readonly ServerEvent[] = [
  { kind: "tools_list_changed" },
  { kind: "prompts_list_changed" },
  { kind: "resources_list_changed" },
];

/** Event buses by scope. */
interface EventBuses {
  readonly of: (scope: string) => ServerEventBus;
}

/** Listeners of this process, by scope. */
interface Listeners extends EventBuses {
  readonly scopes: () => Iterable<string>;
  readonly deliver: (scope: string, event: ServerEvent) => void;
}

interface SharedBusOptions {
  /** The id of this process. */
  readonly process: string;
  readonly store: Store;
  readonly log: PackLog;
}

/**
 * Buses whose events reach the listeners of every replica. Listeners get the events of one replica in the order in which it published them. Events are
 * records that each replica reads by their generation, so a lost notification loses no event. A replica that could read no events for as long as
 * they are kept reports a change of every list.
 */
export async function openSharedBuses(options: SharedBusOptions): Promise<EventBuses & { close(): void }> {
  const { store, log } = options;
  // Events are read from here on, so that a client that subscribes misses none.
  const late = () => {
    throw new Error("it did not answer in time");
  };
  const position = await withTimeout(store.generation(), { ms: startTimeoutMs, onTimeout: late }).catch((error) => {
    log.warn(`the store of the replicas cannot be used yet: ${String(error)}`);
    return undefined;
  });
  const outbox = createOutbox(options);
  const listeners = createListeners(log, (scope, event) => {
    outbox.add(scope, event);
    feed.wake();
  });
  const read = eventReader(options, { listeners, from: position });
  const feed = followChanges(store, async () => {
    const results = await Promise.allSettled([outbox.send(), read()]);
    for (const one of results) if (one.status === "rejected") reportFailure(log, one.reason);
  });
  return { of: listeners.of, close: () => feed.close() };
}

/** Failures of the store of the replicas are tried again. */
export function reportFailure(log: PackLog, error: unknown): void {
  log.debug(`the store of the replicas: ${String(error)}`);
}

/** Queues events, and writes them in order. Of equal events that wait, one is written. */
function createOutbox({ process, store }: SharedBusOptions) {
  let waiting = new Map<string, { readonly scope: string; readonly event: string }>();
  return {
    add(scope: string, event: ServerEvent) {
      const json = JSON.stringify(event);
      waiting.set(`${scope}\n${json}`, { scope, event: json });
      const [oldest] = waiting.keys();
      if (waiting.size > maxWaiting && oldest !== undefined) waiting.delete(oldest);
    },
    async send() {
      while (waiting.size > 0) {
        const batch = [...waiting].slice(0, maxBatch);
        // An equal event that is published during the write is a later change.
        for (const [key] of batch) waiting.delete(key);
        try {
          await store.transaction(async (inside) => {
            const expiresAt = Date.now() + retentionMs;
            for (const [, one] of batch) await inside.put(eventKind, { ...one, process, expiresAt });
          });
        } catch (error) {
          waiting = new Map([...batch, ...waiting]);
          throw error;
        }
      }
    },
  };
}

/** A function that reads new events of other processes and delivers them. */
function eventReader(
  { process, store, log }: SharedBusOptions,
  { listeners, from }: { readonly listeners: Listeners; readonly from: number | undefined },
): () => Promise<void> {
  let position = from;
  let readAt = performance.now();
  return async () => {
    const isGap = position === undefined || performance.now() - readAt >= retentionMs;
    position ??= await store.generation();
    for (let isLast = false; !isLast;) {
      const query = { sinceGeneration: position, sort: ["generation"], limit: maxBatch, skipDamaged: true };
      const page: Page<EventRecord> = await store.query(eventKind, query);
      for (const { data } of page.items) {
        if (data.process !== process) listeners.deliver(data.scope, JSON.parse(data.event) as ServerEvent);
      }
      isLast = page.cursor === undefined;
      position = isLast ? page.generation : (page.items.at(-1)?.generation ?? page.generation);
    }
    readAt = performance.now();
    if (!isGap) return;
    log.warn("events of other replicas may be lost: they could not be read in time");
    for (const scope of listeners.scopes()) for (const event of listsChanged) listeners.deliver(scope, event);
  };
}

function createListeners(
  log: Pick<PackLog, "error">,
  onPublish: (scope: string, event: ServerEvent) => void,
): Listeners {
  const byScope = new Map<string, Set<(event: ServerEvent) => void>>();
  const deliver = (scope: string, event: ServerEvent) => {
    for (const listener of byScope.get(scope) ?? []) {
      try {
        listener(event);
      } catch (error) {
        log.error("a change could not be reported to a client", error);
      }
    }
  };
  return {
    deliver,
    scopes: () => byScope.keys(),
    of: (scope) => ({
      publish(event) {
        deliver(scope, event);
        onPublish(scope, event);
      },
      subscribe(listener) {
        const listeners = byScope.get(scope) ?? new Set();
        byScope.set(scope, listeners);
        const own = (event: ServerEvent) => listener(event);
        listeners.add(own);
        return () => {
          listeners.delete(own);
          if (listeners.size === 0 && byScope.get(scope) === listeners) byScope.delete(scope);
        };
      },
    }),
  };
}
