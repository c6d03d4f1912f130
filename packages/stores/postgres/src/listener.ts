/** Notifications about new generations, also of writes by other processes. */
import { notifyListeners } from "@toolpacks/store";
import type { Client } from "pg";
import type { Database } from "./database.ts";
import { readGeneration } from "./reader.ts";

/** Delay before reconnecting, in ms. */
const reconnectMs = 500;
/** Interval at which the connection is checked, in ms. A connection that a network has dropped reports nothing. */
const defaultCheckMs = 30_000;

/** Calls listeners with new generations. Uses LISTEN on its own connection. */
export function createListener(database: Database, channel: string, checkMs = defaultCheckMs) {
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
  const disconnect = async () => {
    const closing = client;
    client = undefined;
    connecting = undefined;
    await closing?.end().catch(() => {});
  };
  const reconnect = (lost: Client) => {
    if (client !== lost) return;
    void disconnect();
    timer = setTimeout(() => {
      if (listeners.size === 0) return;
      connecting ??= connect();
      connecting.catch(() => {});
    }, reconnectMs).unref();
  };
  const connect = async () => {
    const fresh = database.createClient({ hasQueryTimeout: true });
    client = fresh;
    fresh.on("notification", ({ payload }) => notify(Number(payload)));
    try {
      await listen(fresh, channel, { checkMs, onLost: () => reconnect(fresh) });
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
    await disconnect();
  };
  return {
    async watch(listener: (generation: number) => void) {
      if (listeners.size === 0) known = await readGeneration(database);
      listeners.add(listener);
      connecting ??= connect();
      connecting.catch(() => listeners.delete(listener));
      await connecting;
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0) await end();
      };
    },
    end,
  };
}

interface ListenOptions {
  readonly checkMs: number;
  /** Called when the connection has ended, or does not answer. */
  readonly onLost: () => void;
}

async function listen(client: Client, channel: string, { checkMs, onLost }: ListenOptions): Promise<void> {
  client.on("error", onLost);
  client.on("end", onLost);
  await client.connect();
  await client.query(`LISTEN ${channel}`);
  let timer: NodeJS.Timeout;
  const checkLater = () => {
    timer = setTimeout(() => void client.query("SELECT").then(checkLater, onLost), checkMs).unref();
  };
  client.on("end", () => clearTimeout(timer));
  checkLater();
}
