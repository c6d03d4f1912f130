import { readSync, type Stats } from "node:fs";
import type { Roots } from "@toolpacks/files";

export type FileSort = "size" | "lines" | "modified";

interface SortedFile {
  readonly path: string;
  readonly type: "file";
  readonly size: number;
  readonly lines?: number;
  readonly modified?: string;
}

/** Files with a measure, largest or newest first. */
interface SortedFiles {
  /** Adds a file by the path that a walk found. */
  add(path: string): void;
  readonly total: number;
  first(count: number): SortedFile[];
}

interface Measured {
  readonly file: SortedFile;
  readonly measure: number;
}

export function createSortedFiles(sort: FileSort, roots: Roots): SortedFiles {
  const all: Measured[] = [];
  return {
    add(path) {
      const measured = roots.openFound(path, (descriptor, stats) => measure(path, sort, { descriptor, stats }));
      if (measured !== undefined) all.push(measured);
    },
    get total() {
      return all.length;
    },
    first: (count) =>
      all
        .sort((a, b) => b.measure - a.measure || (a.file.path < b.file.path ? -1 : 1))
        .slice(0, count)
        .map(({ file }) => file),
  };
}

function measure(path: string, sort: FileSort, { descriptor, stats }: { descriptor: number; stats: Stats }): Measured {
  const file = { path, type: "file", size: stats.size } as const;
  if (sort === "size") return { file, measure: stats.size };
  if (sort === "modified") return { file: { ...file, modified: stats.mtime.toISOString() }, measure: stats.mtimeMs };
  const lines = countLines(descriptor, stats.size);
  return lines === undefined ? { file, measure: -1 } : { file: { ...file, lines }, measure: lines };
}

/** Maximum size of a file whose lines are counted. Counting blocks the event loop. */
const maxCountedBytes = 16 * 1024 * 1024;
const chunk = Buffer.alloc(256 * 1024);
const lineEnd = 10;

/** Counts the lines of a text file. Undefined for a binary file, and for one that is too large. */
export function countLines(descriptor: number, size: number): number | undefined {
  if (size > maxCountedBytes) return undefined;
  let lines = 0;
  let last = lineEnd;
  for (let position = 0; ;) {
    const length = readSync(descriptor, chunk, 0, chunk.length, position);
    if (length === 0 || position > maxCountedBytes) break;
    const part = chunk.subarray(0, length);
    if (part.includes(0)) return undefined;
    for (let at = part.indexOf(lineEnd); at >= 0; at = part.indexOf(lineEnd, at + 1)) lines += 1;
    last = part[length - 1] ?? lineEnd;
    position += length;
  }
  return last === lineEnd ? lines : lines + 1;
}
