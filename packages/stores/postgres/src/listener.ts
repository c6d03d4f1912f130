/** Notifications about new generations, also of writes by other processes. */
import { notifyListeners } from "@toolpacks/core/store";
import type { Client } from "pg";
import type { Database } from "./database.ts";
import { readGeneration } from "./reader.ts";

/** Delay before reconnecting, in ms. */
const reconnectMs = 500;

/** Calls listeners with new generations. Uses LISTEN on its own connection. */
export interface Listener {
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

export function createListener(database: Database, channel: string): Listener {
  const listeners = new Set<(generation: number) => void>();
  let client: Client | undefined;
  let connecting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
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
    void lost.end().catch(() => {});
    if (listeners.size === 0) return;
    timer = setTimeout(() => {
      connecting = connect();
      connecting.catch(() => {});
    }, reconnectMs);
    timer.unref();
  };
  const connect = async () => {
    const fresh = database.createClient();
    client = fresh;
    fresh.on("error", () => reconnect(fresh));
    fresh.on("end", () => reconnect(fresh));
    fresh.on("notification", ({ payload }) => notify(Number(payload)));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${channel}`);
      // Report writes that happened while no connection listened.
      notify(await readGeneration(database));
    } catch (error) {
      reconnect(fresh);
      throw error;
    }
  };
  const end = async () => {
    clearTimeout(timer);
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
      connecting ??= connect();
      await connecting;
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0) await end();
      };
    },
    end,
  };
}
