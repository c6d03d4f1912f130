import { notifyListeners } from "@toolpacks/core/store";

/** How often it is asked whether another process wrote. SQLite answers from shared memory, in microseconds. */
const lookEveryMs = 250;

/** Tells listeners of new generations. */
export interface FileWatch {
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  /** Looks now: this process wrote. */
  look(): Promise<void>;
  end(): void;
}

export function watchFile(readGeneration: () => number | Promise<number>): FileWatch {
  const listeners = new Set<(generation: number) => void>();
  let timer: NodeJS.Timeout | undefined;
  let known = 0;
  /** A file that cannot be read now is asked again the next time; whoever reads it is told then. */
  const readNow = async () => {
    try {
      return await readGeneration();
    } catch {
      return undefined;
    }
  };
  const look = async () => {
    if (listeners.size === 0) return;
    const generation = await readNow();
    if (generation === undefined || generation === known) return;
    known = generation;
    notifyListeners(listeners, generation);
  };
  const end = () => {
    clearInterval(timer);
    timer = undefined;
    listeners.clear();
  };
  return {
    async watch(listener) {
      if (listeners.size === 0) {
        known = await readGeneration();
        timer ??= setInterval(() => void look(), lookEveryMs).unref();
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
