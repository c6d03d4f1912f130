/** Notifications about new generations, also of writes by other processes. */
import { notifyListeners } from "@toolpacks/store";

/** Interval for checking whether another process wrote, in ms. SQLite reads this from shared memory. */
const pollIntervalMs = 250;

/** Calls listeners with new generations. */
export function watchFile(readGeneration: () => number | Promise<number>) {
  const listeners = new Set<(generation: number) => void>();
  let timer: NodeJS.Timeout | undefined;
  let known = 0;
  const readNow = async () => readGeneration();
  const poll = async () => {
    if (listeners.size === 0) return;
    // If the file cannot be read now, the next check tries again.
    const generation = await readNow().catch(() => known);
    if (generation === known) return;
    known = generation;
    notifyListeners(listeners, generation);
  };
  const end = () => {
    clearInterval(timer);
    timer = undefined;
    listeners.clear();
  };
  return {
    async watch(listener: (generation: number) => void) {
      if (listeners.size === 0) {
        known = await readGeneration();
        timer ??= setInterval(() => void poll(), pollIntervalMs).unref();
      }
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0) end();
      };
    },
    /** Checks the generation now, after a write of this process. */
    poll,
    end,
  };
}
