/** Notifications about new generations, also of writes by other processes. */
import { notifyListeners } from "@toolpacks/core/store";
import type { Client } from "pg";
import type { Database } from "./database.ts";
import { readGeneration } from "./reader.ts";

/** Delay before reconnecting, in ms. */
const reconnectMs = 500;
/** Interval at which the connection is checked, in ms. A connection that a network has dropped reports nothing. */
const defaultCheckMs = 30_000;

/** Calls listeners with new generations. Uses LISTEN on its own connection. */
export interface Listener {
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

export function createListener(database: Database, channel: string, checkMs = defaultCheckMs): Listener {
  const listeners = new Set<(generation: number) => void>();
  let client: Client | undefined;
  let connecting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopChecks = () => {};
  let known = 0;

  const notify = (generation: number) => {
    if (generation <= known) return;
    known = generation;
    notifyListeners(listeners, generation);
  };
  const reconnect = (lost: Client) => {
    if (client !== lost) return;
    client = undefined;
    connecting = undefined;
    stopChecks();
    void lost.end().catch(() => {});
    if (listeners.size === 0) return;
    timer = setTimeout(() => {
      connecting = connect();
      connecting.catch(() => {});
    }, reconnectMs).unref();
  };
  const connect = async () => {
    const fresh = database.createClient({ hasQueryTimeout: true });
    client = fresh;
    const onLost = () => reconnect(fresh);
    try {
      await listen(fresh, channel, { onLost, onPayload: (payload) => notify(Number(payload)) });
      // Report writes that happened while no connection listened.
      notify(await readGeneration(database));
      if (client === fresh) stopChecks = checkRegularly(fresh, checkMs, onLost);
    } catch (error) {
      reconnect(fresh);
      throw error;
    }
  };
  const end = async () => {
    clearTimeout(timer);
    stopChecks();
    listeners.clear();
    const closing = client;
    client = undefined;
    connecting = undefined;
    await closing?.end().catch(() => {});
  };
  return {
    async watch(listener) {
      if (listeners.size === 0) known = await readGeneration(database);
      listeners.add(listener);
      try {
        await (connecting ??= connect());
      } catch (error) {
        listeners.delete(listener);
        throw error;
      }
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0) await end();
      };
    },
    end,
  };
}

interface ListenOptions {
  readonly onPayload: (payload: string | undefined) => void;
  readonly onLost: () => void;
}

async function listen(client: Client, channel: string, { onPayload, onLost }: ListenOptions): Promise<void> {
  client.on("error", onLost);
  client.on("end", onLost);
  client.on("notification", ({ payload }) => onPayload(payload));
  await client.connect();
  await client.query(`LISTEN ${channel}`);
}

/** Sends a statement from time to time. Returns a function that stops it. */
function checkRegularly(client: Client, everyMs: number, onLost: () => void): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const checkLater = () => {
    if (isStopped) return;
    timer = setTimeout(() => void client.query("SELECT").then(checkLater, onLost), everyMs).unref();
  };
  checkLater();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
