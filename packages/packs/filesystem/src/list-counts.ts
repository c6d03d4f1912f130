import { type WalkEntry } from "@toolpacks/files";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { pageSize, ToolError } from "@toolpacks/core";
import { listEnding } from "./list-entries.ts";
import type { ListItem, ListOptions, ListPage } from "./list-schema.ts";
import { countLines } from "./measure-file.ts";

/** The counts of a folder or of an extension. */
interface Count {
  readonly path: string;
  readonly type: string;
  files: number;
  size: number;
  lines: number;
  modifiedMs: number;
}

/** Counts are short, so that more of them are shown than of files. */
const maxShownCounts = 50;

/** Counts the files of each folder or extension, most files first. Such a list has one page, because the order may change between calls. */
export async function listCounts(options: ListOptions): Promise<ListPage> {
  const { walk, limit, cursor, sort, matches, depth = 1, countBy } = options;
  if (cursor !== undefined) throw new ToolError("invalid_input", "cursor: counts have one page, give a larger limit");
  const counts = new Map<string, Count>();
  let files = 0;
  for await (const entry of walk.entries()) {
    if (!entry.entry.isFile() || !matches(entry)) continue;
    files += 1;
    const group = countBy === "extension" ? extensionOf(entry) : folderOf(entry, { depth, shown: walk.shown });
    const count = counts.get(group.path) ?? { ...group, files: 0, size: 0, lines: 0, modifiedMs: 0 };
    counts.set(group.path, count);
    await addFile(count, entry, options);
  }
  const measureOf = ({ size, lines, modifiedMs, files: number }: Count) =>
    sort === undefined ? number : { size, lines, modified: modifiedMs }[sort];
  const sorted = [...counts.values()].sort((a, b) => measureOf(b) - measureOf(a) || (a.path < b.path ? -1 : 1));
  const { size, compacted } = pageSize(sorted.length, limit, { over: maxShownCounts, show: maxShownCounts });
  return {
    items: sorted.slice(0, size).map((count) => toItem(count, sort)),
    total: sorted.length,
    files,
    ...listEnding(options, compacted),
  };
}

function extensionOf({ entry }: WalkEntry): Pick<Count, "path" | "type"> {
  const extension = path.extname(entry.name);
  return extension === "" ? { path: "no extension", type: "extension" } : { path: `*${extension}`, type: "extension" };
}

/** The folder of a file, to a number of levels. Files above the last level are counted as those directly in their folder: `src/*`. */
function folderOf(
  { relative }: WalkEntry,
  { depth, shown }: { readonly depth: number; readonly shown: string },
): Pick<Count, "path" | "type"> {
  const folders = relative.split("/").slice(0, -1);
  const start = shown === "." ? [] : [shown];
  return folders.length < depth
    ? { path: [...start, ...folders, "*"].join("/"), type: "files" }
    : { path: [...start, ...folders.slice(0, depth)].join("/"), type: "directory" };
}

async function addFile(
  count: Count,
  { entry, directory, path: file }: WalkEntry,
  { sort, roots }: ListOptions,
): Promise<void> {
  count.files += 1;
  const stats = await lstat(directory.at(entry.name)).catch(() => undefined);
  count.size += stats?.size ?? 0;
  count.modifiedMs = Math.max(count.modifiedMs, stats?.mtimeMs ?? 0);
  if (sort !== "lines") return;
  count.lines += roots.openFound(file, (descriptor, { size }) => countLines(descriptor, size)) ?? 0;
}

function toItem({ path: name, type, files, size, lines, modifiedMs }: Count, sort: ListOptions["sort"]): ListItem {
  return {
    path: name,
    type,
    files,
    size,
    ...(sort === "lines" && { lines }),
    ...(sort === "modified" && { modified: new Date(modifiedMs).toISOString() }),
  };
}
