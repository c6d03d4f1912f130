import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, type Stats } from "node:fs";

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const hasProc = process.platform === "linux";

/**
 * Opens a regular file that a directory walk found. The path must contain no link. The open file is checked, so that it cannot be replaced between
 * check and use. Synchronous, because a walk opens thousands of files.
 *
 * @param real a path inside a root, without `..`
 * @returns undefined if there is no such file
 */
export function openFound<T>(real: string, use: (descriptor: number, stats: Stats) => T): T | undefined {
  const descriptor = undefinedOnError(() => openSync(real, flags));
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    const actual = undefinedOnError(() =>
      hasProc ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync.native(real),
    );
    return stats.isFile() && actual === real ? use(descriptor, stats) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Runs a function. A walk treats every error as a missing file. */
function undefinedOnError<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
