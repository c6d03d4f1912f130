import { tellListeners } from "@toolpacks/core/store";
import type { Connection } from "./connection.ts";
import { readGeneration } from "./find.ts";

/** How often it is asked whether another process wrote. SQLite answers from shared memory, in microseconds. */
const lookEveryMs = 250;

/** Tells listeners of new generations. */
export interface FileWatch {
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  /** Looks now: this process wrote. */
  look(): void;
  end(): void;
}

export function watchFile(connection: Connection): FileWatch {
  const listeners = new Set<(generation: number) => void>();
  let timer: NodeJS.Timeout | undefined;
  let known = 0;
  /** A file that cannot be read now is asked again the next time; whoever reads it is told then. */
  const readNow = () => {
    try {
      return readGeneration(connection);
    } catch {
      return undefined;
    }
  };
  const look = () => {
    if (listeners.size === 0) return;
    const generation = readNow();
    if (generation === undefined || generation === known) return;
    known = generation;
    tellListeners(listeners, generation);
  };
  const end = () => {
    clearInterval(timer);
    timer = undefined;
    listeners.clear();
  };
  return {
    async watch(listener) {
      if (listeners.size === 0) {
        known = readGeneration(connection);
        timer = setInterval(look, lookEveryMs).unref();
      }
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0) end();
      };
    },
    look,
    end,
  };
}
