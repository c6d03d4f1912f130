import { setTimeout as wait } from "node:timers/promises";
import { isInside } from "@toolpacks/files";

/** What work resolves to that has to wait for a call of another process. */
export const busy = Symbol("busy");
const pauseMs = 25;

/** The work that runs, with the paths that it may change. */
const running = new Map<Promise<unknown>, readonly string[]>();

/**
 * Runs work while nothing else of this process may change the same paths.
 *
 * @param findPaths called again after a wait, since other work may have created a folder of them
 */
export async function inTurn<T>(findPaths: () => readonly string[], work: () => Promise<T | typeof busy>): Promise<T> {
  for (;;) {
    const paths = findPaths();
    const other = [...running].find(([, changed]) => overlap(changed, paths))?.[0];
    if (other !== undefined) {
      await other.catch(() => {});
      continue;
    }
    const done = work();
    running.set(done, paths);
    const result = await done.finally(() => running.delete(done));
    if (result !== busy) return result;
    await wait(pauseMs);
  }
}

/** Whether one of the paths is at, below or above one of the others. */
export function overlap(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((one) => others.some((other) => isInside(one, other) || isInside(other, one)));
}
