import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";

const fixtures = path.join(import.meta.dirname, "../fixtures/symbols");
const sources = readdirSync(fixtures)
  .filter((name) => !name.endsWith(".symbols.txt"))
  .map((name) => name.replace(/\.txt$/, ""));
const read = (name: string) => readFileSync(path.join(fixtures, name), "utf8");

let folder: string;
let wire: Wire;

beforeAll(async () => {
  folder = await folderOf({
    ...Object.fromEntries(sources.map((name) => [name, read(`${name}.txt`)])),
    "include/widget.h": "namespace ui {\nclass Widget {\n  void show() {}\n};\n}\n",
    "include/list.h": "struct list { int length; };\n",
    "blank/blank.h": `${"\n".repeat(300_000)}x`,
    "docs/notes.md": "# class NotCode\n",
    "broken.py": "def before():\n    pass\n\ndef broken(:\n    !!\n\ndef after():\n    pass\n",
  });
  wire = await onWire({ roots: [folder] });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

describe("search_symbols finds exactly the symbols of a hand-checked list", () => {
  test.each(sources)("in %s", async (name) => {
    const [file, ...found] = (await wire.text("search_symbols", { path: name, limit: 100 })).split("\n");
    expect(file).toBe(name);
    expect(found).toEqual(read(`${name}.symbols.txt`).trimEnd().split("\n"));
  });
});

test("search_symbols finds a part of a name in a whole tree, ignoring case", async () => {
  expect(await wire.text("search_symbols", { name: "SQUARE" })).toBe(
    "shape.cpp\n33-39 class geo.Square\nshapes.ts\n58-62 class Square",
  );
});

test.each(["Queue.from", "Queue::from", "queue#FROM"])("search_symbols finds a member by %s", async (name) => {
  expect(await wire.text("search_symbols", { name })).toBe("queue.js\n13-15 method Queue.from");
});

test("search_symbols reads a header as C++ if it looks like C++, otherwise as C", async () => {
  expect(await wire.text("search_symbols", { path: "include", limit: 10 })).toBe(
    "include/list.h\n1 struct list\ninclude/widget.h\n1-5 namespace ui\n2-4 class ui.Widget\n3 method ui.Widget.show",
  );
});

test("search_symbols reads a header of many blank lines at once", async () => {
  const started = performance.now();
  expect(await wire.text("search_symbols", { path: "blank" })).toContain("none");
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("search_symbols finds definitions in a file with syntax errors", async () => {
  const found = await wire.text("search_symbols", { path: "broken.py" });
  expect(found).toContain("1-2 function before");
  expect(found).toContain("function after");
});

test("search_symbols pages through a tree without a gap or a repetition", async () => {
  const all = await wire.value("search_symbols", { limit: 1000 });
  expect(all.cursor).toBeUndefined();
  const paged: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await wire.value("search_symbols", { limit: 7, ...(cursor !== undefined && { cursor }) });
    paged.push(...page.items.flatMap(({ path: file, symbols }) => (symbols as object[]).map((one) => ({ file, one }))));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(paged).toEqual(
    all.items.flatMap(({ path: file, symbols }) => (symbols as object[]).map((one) => ({ file, one }))),
  );
  expect(paged).toHaveLength(all.total);
});

test("search_symbols says how many files were too large to parse", async () => {
  const large = await folderOf({
    "a.ts": "const small = 1;\n",
    "b.ts": `// ${"x".repeat(1_100_000)}\nconst big = 1;\n`,
  });
  const own = await onWire({ roots: [large] });
  expect(await own.text("search_symbols", {})).toBe(
    "a.ts\n1 constant small\n1 file was passed over: larger than 1 MiB, or unreadable.",
  );
  await own.close();
  await rm(large, { recursive: true });
});
