import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";

const store = `export class Store {
  put(id: string) {
    if (id === "") throw new Error("empty");
    return () => {
      save(id);
    };
  }
  storeAll() {}
}

export interface StoreOptions {
  path: string;
}

function save(id: string) {}
`;

let folder: string;
let wire: Wire;

beforeAll(async () => {
  folder = await folderOf({
    "a-options.ts": "export const storeOptions = 1;\n",
    "store.ts": store,
    "other.py": "class Store:\n    def get(self):\n        return empty\n",
    "many.ts": Array.from({ length: 40 }, (_, at) => `export function one${at}() {}\n`).join(""),
    "large.ts": `class Large {\n${Array.from({ length: 350 }, (_, at) => `  m${at}() {}\n`).join("")}}\n`,
    "notes.md": "empty\n",
    "broken.js": "function open() {\n  empty(;\n",
  });
  wire = await onWire({ roots: [folder] });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

describe("search_symbols", () => {
  const others = "Names that contain it: StoreOptions (store.ts:11).";

  test("shows exact matches of a name with the members of a class, in one answer", async () => {
    expect(await wire.text("search_symbols", { name: "Store" })).toBe(
      `other.py\n1-3 class Store\n2-3 method Store.get\nstore.ts\n1-9 class Store\n2-7 method Store.put\n8 method Store.storeAll\n${others}`,
    );
    expect(await wire.text("search_symbols", { name: "Store.put" })).toBe("store.ts\n2-7 method Store.put");
  });

  test("finds names that contain a part if no name is the same, or with exact: false", async () => {
    expect(await wire.text("search_symbols", { name: "storeo" })).toBe(
      "a-options.ts\n1 constant storeOptions\nstore.ts\n11-13 interface StoreOptions",
    );
    expect(await wire.text("search_symbols", { name: "Store", exact: false })).toContain("constant storeOptions");
    expect(await wire.text("search_symbols", { name: "storeo", exact: true })).toBe("none");
  });

  test("shows all symbols of one file, and of a class of many members", async () => {
    const { items, total, compacted } = await wire.value("search_symbols", { path: "many.ts" });
    expect(items[0]?.["symbols"]).toHaveLength(40);
    expect({ total, compacted }).toEqual({ total: 40, compacted: undefined });
    expect((await wire.value("search_symbols", {})).compacted).toBe(true);
  });

  test("pages through the members of a large class with the same arguments", async () => {
    const first = await wire.value("search_symbols", { name: "Large" });
    expect(first).toMatchObject({ total: 351 });
    const second = await wire.value("search_symbols", { name: "Large", cursor: first.cursor });
    const shown = [first, second].map(({ items }) => items.flatMap((item) => item["symbols"]).length);
    expect(shown).toEqual([300, 51]);
    expect(second.cursor).toBeUndefined();
  });
});

describe("search_text", () => {
  test("shows the definition around matches once, above them", async () => {
    expect(await wire.text("search_text", { pattern: "empty|save|path: " })).toBe(
      [
        "broken.js",
        "2:   empty(;",
        "notes.md",
        "1: empty",
        "other.py",
        "in Store.get",
        "3:         return empty",
        "store.ts",
        "in Store.put",
        '3:     if (id === "") throw new Error("empty");',
        "5:       save(id);",
        "in StoreOptions",
        "12:   path: string;",
        "at top level",
        "15: function save(id: string) {}",
      ].join("\n"),
    );
    const { items } = await wire.value("search_text", { pattern: "save\\(id\\);", path: "store.ts" });
    expect(items).toEqual([{ path: "store.ts", lines: [{ line: 5, text: "      save(id);", in: "Store.put" }] }]);
  });

  test("shows lines before and after a match apart", async () => {
    const search = { pattern: "return", path: "store.ts" };
    expect(await wire.text("search_text", { ...search, before: 1 })).toBe(
      'store.ts\nin Store.put\n3-     if (id === "") throw new Error("empty");\n4:     return () => {',
    );
    expect(await wire.text("search_text", { ...search, context: 1, before: 0 })).toBe(
      "store.ts\nin Store.put\n4:     return () => {\n5-       save(id);",
    );
  });

  test("shows the lines before a match below the name of its definition", async () => {
    expect(await wire.text("search_text", { pattern: "save|get\\(", path: "other.py", context: 5 })).toBe(
      "other.py\nin Store\n1- class Store:\n2:     def get(self):\n3-         return empty",
    );
    expect(await wire.text("search_text", { pattern: "storeAll|path:", path: "store.ts", context: 1 })).toBe(
      [
        "store.ts",
        "in Store",
        "7-   }",
        "8:   storeAll() {}",
        "9- }",
        "in StoreOptions",
        "11- export interface StoreOptions {",
        "12:   path: string;",
        "13- }",
      ].join("\n"),
    );
  });

  test("shows matches of many files, of which the first 20 are parsed", async () => {
    const files = Array.from({ length: 25 }, (_, at) => [`${10 + at}.ts`, "function f() {\n  hit();\n}\n"]);
    const own = await folderOf(Object.fromEntries(files) as Record<string, string>);
    const many = await onWire({ roots: [own] });
    const { items } = await many.value("search_text", { pattern: "hit", limit: 100 });
    const named = items.filter((item) => (item["lines"] as { in?: string }[])[0]?.in === "f");
    expect([items.length, named.length]).toEqual([25, 20]);
    await many.close();
    await rm(own, { recursive: true });
  });
});
