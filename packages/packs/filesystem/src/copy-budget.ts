import type { Stats } from "node:fs";
import { ToolError, quoteName } from "@toolpacks/core";

const gib = 1024 ** 3;

/** Limits of one copy: entries, allocated bytes of all files, and holes of all files, because reading a hole takes time. */
export const copyLimits = { maxEntries: 20_000, maxBytes: 8 * gib, maxHoleBytes: 64 * gib };

export type CopyLimits = Readonly<typeof copyLimits>;

/** Creates a function that counts entries to copy. It throws `too_large` at the first entry beyond a limit. */
export function createCopyBudget(limits: CopyLimits): (stats: Stats, name: string) => void {
  let entries = 0;
  let bytes = 0;
  let holeBytes = 0;
  const refuse = (name: string, expected: string) => {
    const hint = "Nothing was copied. Copy its parts one by one.";
    throw new ToolError("too_large", `${quoteName(name)}: expected at most ${expected} in what is copied`, hint);
  };
  return (stats, name) => {
    entries += 1;
    if (entries > limits.maxEntries) refuse(name, `${limits.maxEntries} entries`);
    if (!stats.isFile()) return;
    bytes += Math.min(stats.size, allocatedBytes(stats));
    holeBytes += Math.max(0, stats.size - allocatedBytes(stats));
    if (bytes > limits.maxBytes) refuse(name, `${limits.maxBytes / gib} GiB`);
    if (holeBytes > limits.maxHoleBytes) refuse(name, `${limits.maxHoleBytes / gib} GiB of holes`);
  };
}

/** The allocated bytes of a file on disk. They are less than its size if it has holes. */
export function allocatedBytes({ blocks }: Stats): number {
  return blocks * 512;
}
