import { readSync, type Stats } from "node:fs";
import type { Roots } from "@toolpacks/files";
import type { MatchLine } from "./ripgrep/match-lines.ts";

/** A hit in a file, with its bytes if it is a line. */
type Find = Pick<MatchLine, "path"> & Partial<Pick<MatchLine, "bytes" | "offset">>;

/**
 * Keeps only hits that are in the file at their path, opened through the roots.
 *
 * ripgrep follows no link, but it opens files by path. If a folder is swapped for a link and back during the search, ripgrep may read a file outside the
 * roots. This function removes the hits of such files.
 */
export function filterContained<T extends Find>(roots: Roots, finds: readonly T[]): T[] {
  const files = Map.groupBy(finds, ({ path }) => path);
  return [...files].flatMap(([path, all]) => {
    const kept = roots.openFound(path, (descriptor, stats) => {
      if (all.every(({ bytes }) => bytes === undefined)) return all;
      const read = createReader(descriptor, stats);
      return all.filter(({ bytes = Buffer.alloc(0), offset = 0 }) => bytes.equals(read(offset, bytes.length)));
    });
    return kept ?? [];
  });
}

type Read = (offset: number, length: number) => Buffer;

const marks = { utf8: "\xEF\xBB\xBF", "utf-16le": "\xFF\xFE", "utf-16be": "\xFE\xFF" } as const;
const maxDecoded = 16 * 1024 * 1024;

/** Creates a reader with ripgrep's offsets: without a byte order mark, and with UTF-16 converted to UTF-8. */
function createReader(descriptor: number, { size }: Stats): Read {
  const readBytes: Read = (offset, length) => {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, length, offset));
  };
  const start = readBytes(0, 3).toString("latin1");
  if (start === marks.utf8) return (offset, length) => readBytes(offset + marks.utf8.length, length);
  const encoding = (["utf-16le", "utf-16be"] as const).find((one) => start.startsWith(marks[one]));
  if (encoding === undefined) return readBytes;
  const text = Buffer.from(new TextDecoder(encoding).decode(readBytes(0, Math.min(size, maxDecoded))));
  return (offset, length) => text.subarray(offset, offset + length);
}
