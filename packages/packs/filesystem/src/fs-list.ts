import { lstat } from "node:fs/promises";
import { defineTool, detail, listSchema, pageSize, renderList, ToolError, type Compaction } from "@toolpacks/core";
import { compileGlob, pathField, quoteName, type Roots } from "@toolpacks/core/roots";
import { z } from "zod";
import type { FilesystemContext } from "./context.ts";
import { entryType } from "./entry-type.ts";
import { createSortedFiles, type FileSort } from "./sorted-files.ts";
import { createWalkPace } from "./walk-pace.ts";
import { rulesFor, walk, type Entry } from "./walk.ts";

const maxDepth = 64;

const input = z.object({
  path: pathField.optional().describe("folder"),
  depth: z.int().min(1).max(maxDepth).optional().describe("levels, default 1"),
  glob: z.string().min(1).max(1000).optional().describe("such as **/*.ts"),
  exclude: z.string().min(1).max(1000).optional().meta(detail("a glob of files to leave out, such as **/*.test.ts")),
  ignored: z.boolean().optional().meta(detail("what git ignores, too")),
  sort: z.enum(["size", "lines", "modified"]).optional().describe("files, largest or newest first"),
  limit: z.int().min(1).max(5000).optional().meta(detail("most entries")),
  cursor: z.string().max(6000).optional().meta(detail("next page")),
});

const output = listSchema(
  z.object({
    path: z.string(),
    type: z.string(),
    size: z.int().optional().describe("bytes, of a file"),
    lines: z.int().optional().describe("of a text file, sorted by lines"),
    modified: z.string().optional().describe("ISO 8601, UTC, sorted by modified"),
    target: z.string().optional().describe("what a link leads to, where that is inside"),
  }),
);

type Item = z.output<typeof output>["items"][number];
type Page = z.input<typeof output>;

/** Maximum number of entries of a walk. Beyond it, the total is a lower bound, and the hint says so. */
const maxWalked = 100_000;

/** `fs_list`: lists a directory, or finds files in it. */
export function fsList({ roots, list, timeoutMs }: FilesystemContext) {
  return defineTool({
    name: "fs_list",
    description: "List a folder, or find files in it by glob.",
    keywords: [
      "directory",
      "tree",
      "ls",
      "find files by name",
      "dir",
      "browse",
      "longest",
      "largest",
      "newest",
      "line count",
      "wc",
    ],
    examples: [
      { say: "all tests", args: { glob: "**/*.test.ts", limit: 50 } },
      {
        say: "the five longest source files",
        args: { glob: "**/src/**/*.ts", exclude: "*.test.ts", sort: "lines", limit: 5 },
      },
    ],
    mutates: false,
    input,
    output,
    text: (page) => renderList(page, line),
    handler: async (request, { signal }) => {
      const path = request.path ?? ".";
      const matches = createMatcher(request.glob, request.exclude);
      if (roots.list.length > 1 && path === ".") return listRoots(roots);
      return roots.openDirectory(path, async (directory, place) => {
        const below = directory.real.slice(place.root.path.length).replace(/^\//, "");
        const cut: string[] = [];
        const onCut = (file: string) => cut.push(file);
        const rules = request.ignored === true ? undefined : await rulesFor(place.root.path, below, { onCut });
        const isShallow = request.glob === undefined && request.sort === undefined;
        const depth = request.depth ?? (isShallow ? 1 : maxDepth);
        const pace = createWalkPace(timeoutMs, signal);
        let isTooDeep = false;
        const onDepth = () => {
          // Without a glob, the list already shows the folders at the last level.
          isTooDeep = !isShallow;
        };
        const entries = walk({ directory, depth, onDepth, rules, base: below, pace });
        const page = { ...request, roots, shown: place.shown, compaction: list, matches };
        const unsearched = () => (isTooDeep ? depth : undefined);
        const options = { ...page, cut, isTimedOut: () => pace.isTimedOut, unsearched, timeoutMs };
        return request.sort === undefined ? collect(entries, options) : collectSorted(entries, options, request.sort);
      });
    },
  });
}

function listRoots({ list }: Roots): Page {
  return {
    items: list.map(({ name }) => ({ path: name, type: "directory" })),
    total: list.length,
    hint: "These are the roots; paths begin with one of them.",
  };
}

interface CollectOptions extends z.output<typeof input> {
  readonly roots: Roots;
  readonly shown: string;
  readonly compaction: Compaction;
  readonly matches: (entry: Entry) => boolean;
  /** Paths of `.gitignore` files that were used in part only. */
  readonly cut: readonly string[];
  /** Whether the timeout has passed. */
  readonly isTimedOut: () => boolean;
  /** The number of searched levels if there are more; otherwise undefined. */
  readonly unsearched: () => number | undefined;
  readonly timeoutMs: number;
}

async function collect(entries: AsyncGenerator<Entry>, options: CollectOptions): Promise<Page> {
  const { shown, limit, compaction, cursor, matches } = options;
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const maxItems = limit ?? compaction.over ?? 20;
  const found: Item[] = [];
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
  const hints = hintsOf({ ...options, isTooLong: walked > maxWalked, compacted });
  return { items, total, ...next, ...(compacted && { compacted }), ...(hints.length > 0 && { hint: hints.join(" ") }) };
}

/** Collects the first files of a sorted list. Such a list has one page, because the order may change between calls. */
async function collectSorted(entries: AsyncGenerator<Entry>, options: CollectOptions, sort: FileSort): Promise<Page> {
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
  const hints = hintsOf({ ...options, isTooLong: walked > maxWalked, compacted });
  return {
    items: sorted.first(size),
    total: sorted.total,
    ...(compacted && { compacted }),
    ...(hints.length > 0 && { hint: hints.join(" ") }),
  };
}

function hintsOf({
  cut,
  isTimedOut,
  unsearched,
  timeoutMs,
  isTooLong,
  compacted,
}: Pick<CollectOptions, "cut" | "isTimedOut" | "unsearched" | "timeoutMs"> & {
  readonly isTooLong: boolean;
  readonly compacted: boolean;
}) {
  const depth = unsearched();
  const stopped = isTooLong ? `${maxWalked} entries` : isTimedOut() ? `${timeoutMs / 1000} s` : undefined;
  return [
    ...(stopped === undefined ? [] : [`Stopped after ${stopped}; the total is a lower bound. Give a deeper path.`]),
    ...(depth === undefined
      ? []
      : [
          `Only ${depth} ${depth === 1 ? "level was" : "levels were"} searched, and there are more. Give a deeper path.`,
        ]),
    ...cut.slice(0, 3).map((file) => `${quoteName(file)} is too large; only a part of its rules was used.`),
    ...(compacted ? ["Give limit to see more at once, or narrow with path, glob or depth."] : []),
  ];
}

async function toItem({ entry, directory, relative }: Entry, { roots, shown }: CollectOptions): Promise<Item> {
  const path = shown === "." ? relative : `${shown}/${relative}`;
  const type = entryType(entry);
  if (type === "link") {
    const target = await roots.at(path, async (place) => place.shown).catch(() => undefined);
    return { path, type, ...(target !== undefined && { target }) };
  }
  if (type !== "file") return { path, type };
  const stats = await lstat(directory.at(entry.name)).catch(() => undefined);
  return { path, type, ...(stats && { size: stats.size }) };
}

function createMatcher(glob: string | undefined, exclude: string | undefined): (entry: Entry) => boolean {
  const matches = glob === undefined ? undefined : compileGlob(glob, "glob");
  const isExcluded = exclude === undefined ? () => false : compileGlob(exclude, "exclude");
  return ({ entry, relative }) => {
    if (isExcluded(relative)) return false;
    return matches === undefined || (!entry.isDirectory() && matches(relative));
  };
}

function line({ path, type, size, target, lines, modified }: Item): string {
  const name = quoteName(path);
  if (lines !== undefined) return `${name} ${lines} ${lines === 1 ? "line" : "lines"}`;
  if (modified !== undefined) return `${name} ${modified}`;
  if (type === "directory") return `${name}/`;
  if (type === "link") return target === undefined ? `${name} (link)` : `${name} -> ${quoteName(target)}`;
  return size === undefined ? `${name} (${type})` : `${name} ${readableSize(size)}`;
}

function readableSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}`;
  const exponent = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** exponent).toFixed(1)}${["", "k", "M", "G"][exponent] ?? ""}`;
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

function encodeCursor(relative: string): string {
  return Buffer.from(relative).toString("base64url");
}

function decodeCursor(cursor: string): string {
  const relative = Buffer.from(cursor, "base64url").toString();
  if (encodeCursor(relative) === cursor) return relative;
  throw new ToolError("invalid_input", "cursor: expected one from an earlier page of this list");
}
