import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, type Stats } from "node:fs";

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const hasProc = process.platform === "linux";

/**
 * Opens a regular file that a walk came by, if it really lies at this path, with no link on the way. What was opened is checked,
 * so that nothing can be swapped between the check and the use. Synchronous, because a walk comes by thousands.
 *
 * @param real a path inside a root, without `..`
 * @returns undefined where there is no such file, or no longer
 */
export function openFound<T>(real: string, use: (descriptor: number, stats: Stats) => T): T | undefined {
  const descriptor = quietly(() => openSync(real, flags));
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    const lies = quietly(() => (hasProc ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync(real)));
    return stats.isFile() && lies === real ? use(descriptor, stats) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Whatever the system objects to, the file is not there for a walk. */
function quietly<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
