import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const folders =
  "{.changeset,.ci,.github,apps,bench,deploy,docs,docs/.vitepress,examples,node-versions,packages,scripts}";

/** All files and folders of the repository, without what is made from it. */
const entries = globSync([`${folders}/**/*`, "*", ".*"], {
  cwd: root,
  exclude: (name) => /^(node_modules|dist|\.git|\.turbo)$/.test(path.basename(name)),
}).map((entry) => entry.split(path.sep).join("/"));
const known = new Set(entries);
/** Each entry, and each end of its path. */
const ends = new Set(
  entries.flatMap((entry) => {
    const parts = entry.split("/");
    return parts.map((_, at) => parts.slice(at).join("/"));
  }),
);

function read(page: string): string {
  return readFileSync(path.join(root, page), "utf8");
}

/** Paths from the root, anywhere in a page, and the files and folders that it names as code. */
function namedIn(text: string): readonly string[] {
  const paths = text.matchAll(
    /(?<![\w./@-])(?:apps|bench|docs|examples|node-versions|packages|scripts)\/[\w./-]+[\w]/g,
  );
  const codes = text.matchAll(/`([\w./-]+(?:\.(?:ts|md|mjs|yaml)|\/))`/g);
  return [...[...paths].map(([name]) => name), ...[...codes].map(([, name = ""]) => name.replace(/\/$/, ""))];
}

/** What commands make. */
const made = new Set(["docs/reference", "docs/.vitepress/dist", "release"]);

test.each(["docs/architecture.md", "CONTRIBUTING.md"])("every file and folder that %s names exists", (page) => {
  const names = [...new Set(namedIn(read(page)))].filter((name) => !made.has(name));
  expect(names.length).toBeGreaterThan(20);
  // A path may go on with a name that the page leaves open: `packages/stores/<name>`.
  expect(names.filter((name) => !known.has(name) && !ends.has(name))).toEqual([]);
});

describe("the files of a call in docs/architecture.md", () => {
  const lists = [...read("docs/architecture.md").matchAll(/through (?:these )?(\d+)\b[^]*?```\n([^]*?)```/g)].map(
    ([, count = "", block = ""]) => ({ count: Number(count), files: block.trim().split("\n").flatMap(filesOf) }),
  );

  test.each([
    ["`tool_invoke fs_read` over stdio", 0, 24],
    ["`store_put` over HTTP", 1, 40],
  ])("exist, are as many as the page says, and are not too many: %s", (_, at, most) => {
    const { count, files } = lists[at] ?? { count: 0, files: [] };
    expect(files.filter((file) => !known.has(file))).toEqual([]);
    expect(new Set(files).size).toBe(count);
    expect(files.length).toBe(count);
    expect(count).toBeLessThanOrEqual(most);
  });
});

/** The paths in a row: a package, or a folder of one, and files of it. */
function filesOf(row: string): readonly string[] {
  const [folder = "", names = ""] = row.split(/ {2,}/);
  const source = folder.includes("/src") ? folder : `${folder}/src`;
  const place = source.startsWith("apps/") ? source : `packages/${source}`;
  return names.split(", ").map((name) => `${place}/${name}.ts`);
}
