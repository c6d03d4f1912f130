import { type WalkEntry } from "@toolpacks/files";
import { lstat } from "node:fs/promises";
import { pageSize, ToolError } from "@toolpacks/core";
import { entryType } from "./entry-type.ts";
import type { ListItem, ListOptions, ListPage } from "./list-schema.ts";
import { measureFile, type FileSort } from "./measure-file.ts";

/** Lists entries in the order of their paths. */
export async function listEntries(options: ListOptions): Promise<ListPage> {
  const { walk, limit, compaction, cursor, matches } = options;
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const maxItems = limit ?? compaction.over ?? 20;
  const found: ListItem[] = [];
  let total = 0;
  let remaining = 0;
  for await (const entry of walk.entries()) {
    if (!matches(entry)) continue;
    total += 1;
    if (after !== undefined && compare(entry.relative, after) <= 0) continue;
    remaining += 1;
    if (found.length < maxItems) found.push(await toItem(entry, options));
  }
  const { size, compacted } = pageSize(remaining, limit, compaction);
  const items = found.slice(0, size);
  const last = items.at(-1);
  const prefix = walk.shown === "." ? "" : `${walk.shown}/`;
  const next =
    last !== undefined && items.length < remaining ? { cursor: encodeCursor(last.path.slice(prefix.length)) } : {};
  // A glob without a slash matches names in every folder.
  const isAnyFolder = options.depth === undefined && options.glob?.includes("/") === false;
  const isDeep = isAnyFolder && items.some(({ path }) => path.includes("/", prefix.length));
  return { items, total, ...next, ...listEnding(options, compacted, isDeep) };
}

/** Lists the first files of a sorted list. Such a list has one page, because the order may change between calls. */
export async function listSorted(options: ListOptions, sort: FileSort): Promise<ListPage> {
  const { walk, limit, compaction, cursor, matches, roots } = options;
  if (cursor !== undefined)
    throw new ToolError("invalid_input", "cursor: a sorted list has one page, give a larger limit");
  const files = [];
  for await (const entry of walk.entries()) {
    const file = entry.entry.isFile() && matches(entry) ? measureFile(roots, entry.path, sort) : undefined;
    if (file !== undefined) files.push(file);
  }
  files.sort((a, b) => b.measure - a.measure || (a.item.path < b.item.path ? -1 : 1));
  const { size, compacted } = pageSize(files.length, limit, compaction);
  return {
    items: files.slice(0, size).map(({ item }) => item),
    total: files.length,
    ...listEnding(options, compacted),
  };
}

/** The last fields of a page: whether it was compacted, and how to see what is not shown. */
export function listEnding(
  { walk: { stopped, isTooDeep, depth }, isShallow }: ListOptions,
  compacted: boolean,
  isDeep = false,
): { readonly compacted?: true; readonly hint?: string } {
  const hints: string[] = [];
  if (isDeep) hints.push("Subfolders are included; depth: 1 leaves them out.");
  if (stopped !== undefined) hints.push(`Stopped after ${stopped}; the total is a lower bound. Give a deeper path.`);
  // A shallow list shows the folders at the last level.
  if (isTooDeep && !isShallow) {
    const levels = depth === 1 ? "level was" : "levels were";
    hints.push(`Only ${depth} ${levels} searched, and there are more. Give a deeper path.`);
  }
  if (compacted) hints.push("Give limit to see more at once.");
  return { ...(compacted && { compacted }), ...(hints.length > 0 && { hint: hints.join(" ") }) };
}

async function toItem({ entry, directory, path }: WalkEntry, { roots }: ListOptions): Promise<ListItem> {
  const type = entryType(entry);
  if (type === "link") {
    const target = await roots.at(path, async (place) => place.shown).catch(() => undefined);
    return { path, type, target };
  }
  if (type !== "file") return { path, type };
  const stats = await lstat(directory.at(entry.name)).catch(() => undefined);
  return { path, type, size: stats?.size };
}

/** Compares paths component by component, in the order of a walk. */
function compare(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  for (const [at, part] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (part !== other) return part < other ? -1 : 1;
  }
  return left.length - right.length;
}

/** The cursor is the last path. Escaped, because a name may have characters that hide or fake text. */
function encodeCursor(relative: string): string {
  return relative.split("/").map(encodeURIComponent).join("/");
}

function decodeCursor(cursor: string): string {
  try {
    const relative = decodeURIComponent(cursor);
    if (encodeCursor(relative) === cursor) return relative;
  } catch {
    // Malformed; the failure below says so.
  }
  throw new ToolError("invalid_input", "cursor: expected one from an earlier page of this list");
}
