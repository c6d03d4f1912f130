import { rm, utimes } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";

const files = [
  "apps/server/src/commands/serve.ts",
  "apps/server/src/serve.test.ts",
  "packages/core/src/reserve.ts",
  "packages/search/src/search-text.ts",
  "docs/serve.md",
  "docs/[id]/page.tsx",
  ".github/serve.yml",
  "dist/serve.js",
];
let folder: string;
let wire: Wire;

beforeAll(async () => {
  folder = await folderOf({ ...Object.fromEntries(files.map((file) => [file, ""])), ".gitignore": "dist/\n" });
  for (const [at, file] of files.entries()) await utimes(path.join(folder, file), 1_000_000, 1_000_000 + at);
  wire = await onWire({ roots: [folder] });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

const found = async (args: object) => (await wire.value("search_files", args)).items.map((item) => item.path);

describe("search_files, fuzzily and best first, finds", () => {
  test.each([
    [
      "a name before a folder, and a whole name before a part of a name",
      "serve",
      [
        "docs/serve.md",
        "apps/server/src/commands/serve.ts",
        "apps/server/src/serve.test.ts",
        "packages/core/src/reserve.ts",
      ],
    ],
    ["words in any order", "text search", ["packages/search/src/search-text.ts"]],
    ["letters with gaps", "srchtxt", ["packages/search/src/search-text.ts"]],
    ["folders too", "core/res", ["packages/core/src/reserve.ts"]],
    ["brackets as literals", "[id]", ["docs/[id]/page.tsx"]],
    ["nothing if a letter is missing", "servez", []],
  ])("%s", async (_, fuzzy, paths) => {
    expect(await found({ fuzzy })).toEqual(paths);
  });
});

describe("search_files, newest first, finds", () => {
  const visible = files.filter((file) => !/^(?:dist|\.)/.test(file)).toReversed();
  test.each([
    ["every file", {}, visible],
    ["by glob", { glob: "**/*.ts" }, visible.filter((file) => file.endsWith(".ts"))],
    ["by a glob that would show what git ignores", { glob: "**" }, visible],
    ["below a folder", { path: "docs" }, ["docs/[id]/page.tsx", "docs/serve.md"]],
    ["one file", { path: "docs/serve.md" }, ["docs/serve.md"]],
    [
      "hidden and ignored files with hidden and ignored",
      { glob: "serve.*", hidden: true, ignored: true },
      [
        "dist/serve.js",
        ".github/serve.yml",
        "docs/serve.md",
        "apps/server/src/serve.test.ts",
        "apps/server/src/commands/serve.ts",
      ],
    ],
  ])("%s", async (_, args, paths) => {
    expect(await found(args)).toEqual(paths);
  });
});

test("search_files finds a binary file by its path", async () => {
  const own = await folderOf({ "image.png": Buffer.from([137, 80, 0, 0]) });
  const images = await onWire({ roots: [own] });
  expect(await images.text("search_files", { path: "image.png" })).toBe("image.png");
  expect(await images.text("search_files", { path: "image.png", fuzzy: "img" })).toBe("image.png");
  await images.close();
  await rm(own, { recursive: true });
});

test("search_files ranks only the files that a glob matches, if both are given", async () => {
  expect(await found({ fuzzy: "serve", glob: "*.ts" })).not.toContain("docs/serve.md");
});

test.each([{}, { fuzzy: "se" }, { glob: "**/s*" }])(
  "search_files pages through %j without a gap or a repetition",
  async (args) => {
    const all = await wire.value("search_files", { ...args, limit: 100 });
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await wire.value("search_files", { ...args, limit: 2, ...(cursor !== undefined && { cursor }) });
      expect(page.total).toBe(all.total);
      paged.push(...page.items.map((item) => item.path));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(all.items.map((item) => item.path));
  },
);

test("search_files continues after the last shown file when others changed meanwhile", async () => {
  const { cursor, items } = await wire.value("search_files", { limit: 2 });
  expect(items.map((item) => item.path)).toEqual(["docs/[id]/page.tsx", "docs/serve.md"]);
  await utimes(path.join(folder, files[0] ?? ""), 2_000_000, 2_000_000);
  const next = await wire.value("search_files", { limit: 2, cursor });
  await utimes(path.join(folder, files[0] ?? ""), 1_000_000, 1_000_000);
  expect(next.items.map((item) => item.path)).toContain("packages/search/src/search-text.ts");
});
