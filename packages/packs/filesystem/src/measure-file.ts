import { readSync } from "node:fs";
import type { Roots } from "@toolpacks/files";
import type { ListItem } from "./list-schema.ts";

export type FileSort = "size" | "lines" | "modified";

interface MeasuredFile {
  readonly item: ListItem;
  readonly measure: number;
}

/** Measures a file that a walk found. Undefined if it is gone. */
export function measureFile(roots: Roots, path: string, sort: FileSort): MeasuredFile | undefined {
  return roots.openFound(path, (descriptor, { size, mtime, mtimeMs }) => {
    const item = { path, type: "file", size };
    if (sort === "size") return { item, measure: size };
    if (sort === "modified") return { item: { ...item, modified: mtime.toISOString() }, measure: mtimeMs };
    const lines = countLines(descriptor, size);
    return lines === undefined ? { item, measure: -1 } : { item: { ...item, lines }, measure: lines };
  });
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
