import { lstat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import type { Roots } from "@toolpacks/core/roots";
import type { MatchLine } from "./ripgrep/match-lines.ts";

/** What was found in a file, with the bytes that were found where there are any. */
type Find = Pick<MatchLine, "path"> & Partial<Pick<MatchLine, "bytes" | "offset">>;

/**
 * Leaves out what does not stand in the file that its path leads to, as the roots open it.
 *
 * ripgrep follows no link, but it walks by path: where a folder is swapped for a link and back while it walks, it may have read a
 * file outside the roots. What it says of such a file is shown to nobody.
 */
export async function contained<T extends Find>(roots: Roots, finds: readonly T[]): Promise<readonly T[]> {
  const files = Map.groupBy(finds, ({ path }) => path);
  const folders = Map.groupBy(files.keys(), (file) => path.posix.dirname(file));
  const checks = [...folders].map(([folder, paths]) =>
    finds.some(({ bytes }) => bytes !== undefined)
      ? readAll(roots, paths, files)
      : namesOf(roots, folder, paths).then((names) => names.flatMap((name) => files.get(name) ?? [])),
  );
  const held = new Set((await Promise.all(checks)).flat());
  return finds.filter((find) => held.has(find));
}

async function readAll<T extends Find>(
  roots: Roots,
  paths: readonly string[],
  files: ReadonlyMap<string, readonly T[]>,
): Promise<readonly T[]> {
  const held: T[] = [];
  for (const file of paths) {
    const check = roots.openFile(file, async (handle, { size }) => {
      const read = await createReader(handle, size);
      for (const find of files.get(file) ?? []) if (await stands(find, read)) held.push(find);
    });
    // One that is gone or leads out by now is not shown.
    await check.catch(() => {});
  }
  return held;
}

type Read = (offset: number, length: number) => Promise<Buffer>;

async function stands({ bytes = Buffer.alloc(0), offset = 0 }: Find, read: Read): Promise<boolean> {
  return bytes.equals(await read(offset, bytes.length));
}

const marks = { utf8: "\xEF\xBB\xBF", "utf-16le": "\xFF\xFE", "utf-16be": "\xFE\xFF" } as const;
const mostDecoded = 16 * 1024 * 1024;

/** Reads as ripgrep counts: without a byte order mark, and UTF-16 as UTF-8. */
async function createReader(file: FileHandle, size: number): Promise<Read> {
  const readBytes: Read = async (offset, length) => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const start = (await readBytes(0, 3)).toString("latin1");
  if (start === marks.utf8) return (offset, length) => readBytes(offset + marks.utf8.length, length);
  const encoding = (["utf-16le", "utf-16be"] as const).find((one) => start.startsWith(marks[one]));
  if (encoding === undefined) return readBytes;
  const raw = await readBytes(0, Math.min(size, mostDecoded));
  const text = Buffer.from(new TextDecoder(encoding).decode(raw));
  return async (offset, length) => text.subarray(offset, offset + length);
}

/** Those of a folder's files that are there. */
async function namesOf(roots: Roots, folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const isFile = (entry: string) =>
    lstat(entry).then(
      (stats) => stats.isFile(),
      () => false,
    );
  return roots
    .openDirectory(folder, async (directory, place) => {
      if (place.shown !== folder) return [];
      const are = await Promise.all(paths.map((one) => isFile(directory.at(path.posix.basename(one)))));
      return paths.filter((_, at) => are[at]);
    })
    .catch(() => []);
}
