import { defineTool, renderList, quoteName } from "@toolpacks/core";
import { compileGlob, globHint, type Roots, walkFolder, type WalkEntry } from "@toolpacks/files";
import type { FilesystemContext } from "./context.ts";
import { listCounts } from "./list-counts.ts";
import { listEntries, listSorted } from "./list-entries.ts";
import { listInput, listOutput, maxListDepth, type ListItem, type ListOptions, type ListPage } from "./list-schema.ts";

/** `fs_list`: lists a directory, finds files in it, or counts them. */
export function fsList({ roots, list, timeoutMs }: FilesystemContext) {
  return defineTool({
    name: "fs_list",
    description: "List a folder, find files by glob, or count them per folder.",
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
      "how many files",
      "statistics",
    ],
    examples: [
      { say: "TypeScript files of each package", args: { path: "packages", glob: "**/*.ts", countBy: "folder" } },
      { say: "all tests", args: { glob: "**/*.test.ts", limit: 50 } },
      {
        say: "the five longest source files",
        args: { glob: "**/src/**/*.ts", exclude: "*.test.ts", sort: "lines", limit: 5 },
      },
    ],
    mutates: false,
    input: listInput,
    output: listOutput,
    text: renderPage,
    handler: async (request, { signal }) => {
      const { path = ".", glob, exclude, sort, countBy, ignored } = request;
      const matches = createMatcher(glob, exclude);
      if (roots.list.length > 1 && path === ".") return listRoots(roots);
      const isShallow = glob === undefined && sort === undefined && countBy === undefined;
      const depth = (countBy === undefined ? request.depth : undefined) ?? (isShallow ? 1 : maxListDepth);
      return walkFolder(roots, { path, depth, ignored, timeoutMs, signal }, async (walk) => {
        const found = await pageOf({ ...request, roots, walk, compaction: list, matches, isShallow });
        const hint = found.total === 0 ? globHint(path, glob === undefined ? [] : [glob]) : undefined;
        return hint === undefined || found.hint !== undefined ? found : { ...found, hint };
      });
    },
  });
}

function pageOf(options: ListOptions): Promise<ListPage> {
  if (options.countBy !== undefined) return listCounts(options);
  return options.sort === undefined ? listEntries(options) : listSorted(options, options.sort);
}

function listRoots({ list }: Roots): ListPage {
  return {
    items: list.map(({ name }) => ({ path: name, type: "directory" })),
    total: list.length,
    hint: "These are the roots; paths begin with one of them.",
  };
}

function createMatcher(glob: string | undefined, exclude: string | undefined): (entry: WalkEntry) => boolean {
  const matches = glob === undefined ? undefined : compileGlob(glob, "glob");
  const isExcluded = exclude === undefined ? () => false : compileGlob(exclude, "exclude");
  return ({ entry, relative }) => {
    if (isExcluded(relative)) return false;
    return matches === undefined || (!entry.isDirectory() && matches(relative));
  };
}

/** Of a page with a single entry, the text leaves out the cursor: such a page answers how many there are. */
function renderPage(page: ListPage): string {
  const { files, cursor, ...rest } = page;
  const list = renderList(page.items.length > 1 ? { ...rest, cursor } : rest, line);
  return files === undefined || files === 0 ? list : `${filesText(files)} in all\n${list}`;
}

function line({ path, type, files, size, target, lines, modified }: ListItem): string {
  const name = quoteName(path);
  const facts = [
    ...(files === undefined ? [] : [`${filesText(files)} ${readableSize(size ?? 0)}`]),
    ...(lines === undefined ? [] : [`${lines} ${lines === 1 ? "line" : "lines"}`]),
    ...(modified === undefined ? [] : [modified]),
  ];
  if (facts.length > 0) return `${name}${files !== undefined && type === "directory" ? "/" : ""} ${facts.join(" ")}`;
  if (type === "directory") return `${name}/`;
  if (type === "link") return target === undefined ? `${name} (link)` : `${name} -> ${quoteName(target)}`;
  return size === undefined ? `${name} (${type})` : `${name} ${readableSize(size)}`;
}

function filesText(files: number): string {
  return `${files} ${files === 1 ? "file" : "files"}`;
}

function readableSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}`;
  const exponent = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** exponent).toFixed(1)}${["", "k", "M", "G"][exponent] ?? ""}`;
}
