import { lstat } from "node:fs/promises";
import { pageSize, ToolError } from "@toolpacks/core";
import { entryType } from "./entry-type.ts";
import { listEnding, maxWalked } from "./list-hints.ts";
import type { ListItem, ListOptions, ListPage } from "./list-schema.ts";
import { createSortedFiles, type FileSort } from "./sorted-files.ts";
import type { Entry } from "./walk.ts";

/** Lists entries in the order of their paths. */
export async function listEntries(entries: AsyncGenerator<Entry>, options: ListOptions): Promise<ListPage> {
  const { shown, limit, compaction, cursor, matches } = options;
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const maxItems = limit ?? compaction.over ?? 20;
  const found: ListItem[] = [];
  let total = 0;
  let walked = 0;
  let remaining = 0;
  for await (const entry of entries) {
    walked += 1;
    if (walked > maxWalked) break;
    if (!matches(entry)) continue;
    total += 1;
    if (after !== undefined && compare(entry.relative, after) <= 0) continue;
    remaining += 1;
    if (found.length < maxItems) found.push(await toItem(entry, options));
  }
  const { size, compacted } = pageSize(remaining, limit, compaction);
  const items = found.slice(0, size);
  const last = items.at(-1);
  const prefix = shown === "." ? "" : `${shown}/`;
  const next =
    last !== undefined && items.length < remaining ? { cursor: encodeCursor(last.path.slice(prefix.length)) } : {};
  return { items, total, ...next, ...listEnding(options, { walked, compacted }) };
}

/** Lists the first files of a sorted list. Such a list has one page, because the order may change between calls. */
export async function listSorted(
  entries: AsyncGenerator<Entry>,
  options: ListOptions,
  sort: FileSort,
): Promise<ListPage> {
  const { limit, compaction, cursor, matches, roots, shown } = options;
  if (cursor !== undefined)
    throw new ToolError("invalid_input", "cursor: a sorted list has one page, give a larger limit");
  const sorted = createSortedFiles(sort, roots);
  let walked = 0;
  for await (const entry of entries) {
    walked += 1;
    if (walked > maxWalked) break;
    if (entry.entry.isFile() && matches(entry))
      sorted.add(shown === "." ? entry.relative : `${shown}/${entry.relative}`);
  }
  const { size, compacted } = pageSize(sorted.total, limit, compaction);
  return { items: sorted.first(size), total: sorted.total, ...listEnding(options, { walked, compacted }) };
}

async function toItem({ entry, directory, relative }: Entry, { roots, shown }: ListOptions): Promise<ListItem> {
  const path = shown === "." ? relative : `${shown}/${relative}`;
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
