import { rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";
import { runRipgrep } from "./ripgrep/run-ripgrep.ts";

let folder: string;
let wire: Wire;

beforeAll(async () => {
  folder = await folderOf({
    ".gitignore": "*.log\nbuild/\n!kept.log\n",
    "a.ts": "const Alpha = 1;\nconst alphabet = 2;\nconst beta = 3;\n",
    "b/c.py": "alpha = 1\r\nprint(alpha)\r\n",
    "b/d.md": "# alpha\n\nbefore\nalpha.beta\nafter\n\n\nfar\n",
    "b/f.log": "alpha\n",
    "build/out.ts": "alpha\n",
    "debug.log": "alpha\n",
    "kept.log": "alpha\n",
    ".hidden/e.ts": "alpha\n",
    ".git/config": "alpha\n",
    ".trash/old.ts": "alpha\n",
    "binary.dat": Buffer.from("alpha\0alpha\n"),
    "utf16.txt": Buffer.from("\uFEFFalpha über\n", "utf16le"),
    "long.js": `${"é".repeat(5000)}NEEDLE${"ü".repeat(300_000)}\nshort NEEDLE\n`,
    "with\nbreak.txt": "gamma\n",
  });
  wire = await onWire({ roots: [folder] });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

const found = async (args: object) =>
  (await wire.value("search_text", { mode: "files", limit: 100, ...args })).items.map((item) => item.path);

test("search_text groups by file, one line for each match", async () => {
  expect(await wire.text("search_text", { pattern: "alpha", globs: ["*.ts", "*.py"] })).toBe(
    "a.ts\n1: const Alpha = 1;\n2: const alphabet = 2;\nb/c.py\n1: alpha = 1\n2: print(alpha)",
  );
});

test("search_text returns none if nothing matches", async () => {
  expect(await wire.text("search_text", { pattern: "nowhere" })).toBe("none");
});

describe("search_text matches", () => {
  test.each([
    ["in any case if the pattern is lower-case", { pattern: "alpha" }, 2],
    ["the exact case if the pattern has a capital", { pattern: "Alpha" }, 1],
    ["the exact case with case: sensitive", { pattern: "alpha", case: "sensitive" }, 1],
    ["in any case with case: insensitive", { pattern: "ALPHA", case: "insensitive" }, 2],
    ["whole words", { pattern: "alpha", word: true }, 1],
    ["a regex", { pattern: "^const \\w+ = [23];$" }, 2],
    ["a literal", { pattern: "= 1;", literal: true }, 1],
    ["a literal that is not a valid regex", { pattern: "(", literal: true }, 0],
    ["across lines", { pattern: "Alpha = 1;\\nconst", multiline: true }, 1],
  ])("%s", async (_, args, lines) => {
    const { items } = await wire.value("search_text", { path: "a.ts", ...args });
    expect(items.flatMap((item) => item["lines"])).toHaveLength(lines);
  });
});

describe("search_text searches", () => {
  const plain = ["a.ts", "b/c.py", "b/d.md", "kept.log", "utf16.txt"];
  test.each([
    ["all files except ignored, hidden and binary ones", {}, plain],
    [
      "ignored files with ignored",
      { ignored: true },
      ["a.ts", "b/c.py", "b/d.md", "b/f.log", "build/out.ts", "debug.log", "kept.log", "utf16.txt"],
    ],
    ["hidden files with hidden, but never .git and .trash", { hidden: true }, [".hidden/e.ts", ...plain]],
    ["by globs, which show no ignored or hidden file", { globs: ["**"] }, plain],
    ["by a glob of names", { globs: ["*.ts"] }, ["a.ts"]],
    ["by a glob with a folder", { globs: ["b/**"] }, ["b/c.py", "b/d.md"]],
    ["by a glob that excludes", { globs: ["!b/**", "!*.log"] }, ["a.ts", "utf16.txt"]],
    ["by both", { globs: ["b/", "!*.md"] }, ["b/c.py"]],
    ["by alternatives", { globs: ["*.{ts,md}"] }, ["a.ts", "b/d.md"]],
    ["by type, which shows no hidden file", { types: ["ts", "py"] }, ["a.ts", "b/c.py"]],
    ["below a folder, with the ignore rules above it", { path: "b" }, ["b/c.py", "b/d.md"]],
    ["below a folder, to which globs are relative", { path: "b", globs: ["/*.py"] }, ["b/c.py"]],
    ["one file, without regard to globs", { path: "a.ts", globs: ["*.md"] }, ["a.ts"]],
    ["one file that is ignored", { path: "debug.log" }, ["debug.log"]],
  ])("%s", async (_, args, paths) => {
    expect(await found({ pattern: "alpha", ...args })).toEqual(paths);
  });

  test("no binary file, and rejects its path", async () => {
    expect(await wire.failure("search_text", { pattern: "alpha", path: "binary.dat" })).toContain(
      "invalid_input: binary.dat: expected text, this is a binary file",
    );
  });

  test("a file whose name contains a line break", async () => {
    const { items } = await wire.value("search_text", { pattern: "gamma" });
    expect(items).toEqual([{ path: "with\nbreak.txt", lines: [{ line: 1, text: "gamma" }] }]);
    expect(await found({ pattern: "gamma", mode: "count" })).toEqual(["with\nbreak.txt"]);
  });
});

test("search_text shows lines around a match, and marks them", async () => {
  expect(await wire.text("search_text", { pattern: "alpha", path: "b/d.md", context: 1 })).toBe(
    "b/d.md\n1: # alpha\n2- \n3- before\n4: alpha.beta\n5- after",
  );
});

test("search_text shows no line twice if a page ends between close matches", async () => {
  const first = await wire.value("search_text", { pattern: "alpha", path: "b/d.md", context: 1, limit: 1 });
  expect(first.items).toEqual([
    {
      path: "b/d.md",
      lines: [
        { line: 1, text: "# alpha" },
        { line: 2, text: "", context: true },
      ],
    },
  ]);
  const { cursor } = first;
  const second = await wire.text("search_text", { pattern: "alpha", path: "b/d.md", context: 1, limit: 1, cursor });
  expect(second).toContain("4: alpha.beta");
  expect(second).not.toContain("1: # alpha");
});

test("search_text shows no lines of a file whose match is on the next page", async () => {
  const own = await folderOf({ "a.txt": "hit\n", "b.txt": "before\nhit\n", "c.txt": "before\nhit\n" });
  const pages = await onWire({ roots: [own] });
  const request = { pattern: "hit", context: 1, limit: 1 };
  const first = await pages.value("search_text", request);
  expect(first.items).toEqual([{ path: "a.txt", lines: [{ line: 1, text: "hit" }] }]);
  const second = await pages.value("search_text", { ...request, cursor: first.cursor });
  expect(second.items.map((item) => item.path)).toEqual(["b.txt"]);
  await pages.close();
  const compact = await onWire({ roots: [own], list: { over: 2, show: 1 } });
  expect((await compact.value("search_text", { pattern: "hit", context: 1 })).items).toEqual(first.items);
  await compact.close();
  await rm(own, { recursive: true });
});

test.each([
  ["search_text", { pattern: "alpha", globs: ["b/*.md"] }],
  ["search_text", { pattern: "alpha", globs: ["b/*.md"], mode: "count" }],
  ["search_files", { glob: "b/*.md" }],
  ["search_code", { pattern: "alpha", language: "python", globs: ["b/*.md"] }],
  ["search_symbols", { globs: ["b/*.md"] }],
])("%s says why a glob that repeats the folder finds nothing: %j", async (tool, args) => {
  expect(await wire.text(tool, { ...args, path: "b" })).toMatch(
    /^(?:none\n)?No hits\. A glob is matched below path: write \*\.md in place of b\/\*\.md\./,
  );
});

test("search_text answers the numbers alone with limit 0", async () => {
  const request = { pattern: "alpha", limit: 0, globs: ["*.ts", "*.py", "*.md"] };
  expect(await wire.text("search_text", request)).toBe("(3 files, 6 matching lines)");
  expect(await wire.text("search_text", { ...request, mode: "files" })).toBe("(0 of 3)");
  expect(await wire.text("search_text", { ...request, pattern: "nowhere" })).toBe("none");
});

test("search_text shows a short cursor, and none after a single match", async () => {
  expect(await wire.text("search_text", { pattern: "alpha", path: "b", limit: 1 })).toMatch(/\n\(1 of \d\)$/);
  expect(await wire.text("search_text", { pattern: "alpha", path: "b", limit: 2 })).toMatch(
    /\nnext: cursor "[\w-]{6}\.0\.2\.b\/c\.py"$/,
  );
});

test("search_text cuts a long line around its match, between characters", async () => {
  const text = await wire.text("search_text", { pattern: "NEEDLE" });
  expect(text).toMatch(/^long\.js\n1: …é{20,}NEEDLEü{20,}…\n2: short NEEDLE$/);
  expect(text.length).toBeLessThan(400);
});

test("search_text counts matching lines, by file and in total", async () => {
  expect(await wire.text("search_text", { pattern: "alpha", mode: "count", globs: ["*.ts", "*.py", "*.md"] })).toBe(
    "a.ts: 2\nb/c.py: 2\nb/d.md: 2\n(3 files, 6 matching lines)",
  );
});

test("search_text lists counts from the highest, also on pages and when they are cut", async () => {
  const counts = { "a.txt": 1, "b.txt": 9, "c/d.txt": 3, "c.txt": 3, "e.txt": 12, "z.txt": 9 };
  const own = await folderOf(
    Object.fromEntries(Object.entries(counts).map(([name, at]) => [name, "hit\n".repeat(at)])),
  );
  const roots = [own, path.join(folder, "b")];
  const sorted = ["e.txt: 12", "b.txt: 9", "z.txt: 9", "c/d.txt: 3", "c.txt: 3", "a.txt: 1"];
  for (const list of [undefined, { over: 2, show: 2 }]) {
    const pages = await onWire({ roots: [own], ...(list && { list }) });
    const ask = (more: object) => pages.value("search_text", { pattern: "hit", mode: "count", ...more });
    const shown = async (more: object = {}) =>
      (await ask(more)).items.map((item) => `${item.path}: ${String(item["count"])}`);
    expect(await shown()).toEqual(sorted.slice(0, list?.show));
    const { cursor } = await ask({ limit: 2 });
    expect(await shown({ limit: 2, cursor })).toEqual(sorted.slice(2, 4));
    await pages.close();
  }
  const several = await onWire({ roots });
  const { items } = await several.value("search_text", { pattern: "hit|alpha", mode: "count", limit: 4 });
  expect(items.map((item) => item["count"])).toEqual([12, 9, 9, 3]);
  await several.close();
  await rm(own, { recursive: true });
});

test("search_text compacts a long list without a limit", async () => {
  const own = await folderOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}.txt`, "hit\n"])));
  const compact = await onWire({ roots: [own] });
  for (const mode of ["matches", "files", "count"]) {
    const page = await compact.value("search_text", { pattern: "hit", mode });
    expect(page).toMatchObject({ total: 30, compacted: true, hint: expect.stringContaining("limit") as string });
    expect(page.items.map((item) => item.path).slice(0, 3)).toEqual(["0.txt", "1.txt", "10.txt"]);
    expect(page.items).toHaveLength(20);
  }
  await compact.close();
  await rm(own, { recursive: true });
});

test("search_text ends a page with long lines early, and continues on the next", async () => {
  const line = `hit ${"x".repeat(380)}\n`;
  const own = await folderOf({ "a.txt": line.repeat(600), "b.txt": line.repeat(600) });
  const long = await onWire({ roots: [own] });
  const first = await long.value("search_text", { pattern: "hit", limit: 5000 });
  const second = await long.value("search_text", { pattern: "hit", limit: 5000, cursor: first.cursor });
  const third = await long.value("search_text", { pattern: "hit", limit: 5000, cursor: second.cursor });
  const counts = [first, second, third].map(({ items }) => items.flatMap((item) => item["lines"]).length);
  expect(Math.max(...counts)).toBeLessThan(600);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1200);
  expect(third.cursor).toBeUndefined();
  await long.close();
  await rm(own, { recursive: true });
});

describe("search_text over thousands of matches", () => {
  let many: string;
  let large: Wire;
  beforeAll(async () => {
    const folders = ["a", "a-b", "a.b", "A", "z/y", "ß", "\u{1F600}", "\uFB00"];
    const content = Array.from({ length: 700 }, (_, at) => `hit ${at}\n`).join("");
    many = await folderOf(
      Object.fromEntries(folders.flatMap((name) => [1, 2, 3, 4].map((at) => [`${name}/${at}.txt`, content]))),
    );
    large = await onWire({ roots: [many], list: { over: 20, show: 5 } });
  });
  afterAll(async () => {
    await large.close();
    await rm(many, { recursive: true });
  });

  test.each(["matches", "files", "count"])("pages through mode %s in the order of rg --sort=path", async (mode) => {
    const args = { matches: ["--line-number"], files: ["--files-with-matches"], count: ["--count"] }[mode] ?? [];
    const own = runRipgrep({
      args: ["hit", "--sort=path", "--no-heading", ...args],
      cwd: many,
      signal: new AbortController().signal,
    });
    const wanted = Buffer.concat(await Array.fromAsync(own)).toString();
    const lines: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const limit = mode === "matches" ? 4999 : 5;
      const page = await large.value("search_text", {
        pattern: "hit",
        mode,
        limit,
        ...(cursor !== undefined && { cursor }),
      });
      for (const { path: file, lines: at, count } of page.items as {
        path: string;
        lines?: { line: number; text: string }[];
        count?: number;
      }[]) {
        if (at === undefined) lines.push(count === undefined ? file : `${file}:${count}`);
        else for (const { line, text } of at) lines.push(`${file}:${line}:${text}`);
      }
      cursor = page.cursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(lines).toEqual(wanted.trimEnd().split("\n"));
    expect(pages).toBeGreaterThan(3);
  });

  test("counts all matches, and says if a total is a lower bound", async () => {
    expect(await large.value("search_text", { pattern: "hit", mode: "count", limit: 1 })).toMatchObject({
      total: 22_400,
      files: 32,
    });
    const page = await large.value("search_text", { pattern: "hit", limit: 10 });
    expect(page.partial).toBe(true);
    expect(page.total).toBeGreaterThan(10);
    expect(await large.text("search_text", { pattern: "hit", limit: 10 })).toMatch(/\(10 of at least \d+\)/);
  });
});

test("search_text searches several roots one after the other, and names them", async () => {
  const roots = [path.join(folder, "b"), path.join(folder, ".hidden")];
  const several = await onWire({ roots });
  expect(await several.text("search_text", { pattern: "alpha", mode: "files" })).toBe("b/c.py\nb/d.md\n.hidden/e.ts");
  const first = await several.value("search_text", { pattern: "alpha", limit: 4 });
  const second = await several.value("search_text", { pattern: "alpha", limit: 4, cursor: first.cursor });
  expect(second.items.map((item) => item.path)).toEqual([".hidden/e.ts"]);
  expect(await several.text("search_text", { pattern: "alpha", path: "b", mode: "files" })).toBe("b/c.py\nb/d.md");
  await several.close();
});

test("a cursor of another search and an invalid cursor are rejected", async () => {
  const { cursor } = await wire.value("search_text", { pattern: "alpha", limit: 1 });
  expect(await wire.failure("search_text", { pattern: "beta", cursor })).toContain("belongs to another search");
  expect(await wire.failure("search_text", { pattern: "alpha", cursor: "AAAA" })).toContain(
    "expected one that an earlier page gave",
  );
});

describe("a file with a NUL long after a match", () => {
  const late = `needle\n${`${"a".repeat(80)}\n`.repeat(4000)}x\0y\n`;
  const files = Object.fromEntries([
    ...Array.from({ length: 40 }, (_, at) => [`a${at}.txt`, late]),
    ["line\nbreak.txt", late],
    ["line\nbreak.txt: WARNING: stopped searching binary file after match (found x)\nz.txt", "needle\n"],
    ["b.txt", "needle two\n"],
    ["c.txt", "needle three\n"],
  ]);

  test("hides no match of another file, and is not counted", async () => {
    const binary = await folderOf(files);
    const own = await onWire({ roots: [binary] });
    const lines = await own.value("search_text", { pattern: "needle", limit: 200 });
    const shown = lines.items.map(({ path: one }) => one);
    expect(shown.slice(0, 2)).toEqual(["b.txt", "c.txt"]);
    expect(lines.total).toBe(3);
    expect(shown).toHaveLength(3);
    expect((await own.value("search_text", { pattern: "needle", mode: "count" })).total).toBe(3);
    await own.close();
    await rm(binary, { recursive: true });
  });

  test("is not faked by the name of another file", async () => {
    const names = ["(found \\0 byte around offset 5)\nx", "(found \n/x"].map(
      (end) => `a.txt: WARNING: stopped searching binary file after match ${end}`,
    );
    const forged = await folderOf({
      "a.txt": "needle\n",
      ...Object.fromEntries(names.map((name) => [name, "needle\n"])),
    });
    const own = await onWire({ roots: [forged] });
    const { items } = await own.value("search_text", { pattern: "needle" });
    expect(items.map(({ path: one }) => one).toSorted()).toEqual(["a.txt", ...names].toSorted());
    await own.close();
    await rm(forged, { recursive: true });
  });

  test.each(["matches", "files", "count"])("is rejected if its path is searched in mode %s", async (mode) => {
    const binary = await folderOf({ "late.txt": late });
    const own = await onWire({ roots: [binary] });
    const failure = await own.failure("search_text", { pattern: "needle", path: "late.txt", mode });
    expect(failure).toContain("late.txt: expected text, this is a binary file");
    await own.close();
    await rm(binary, { recursive: true });
  });
});
