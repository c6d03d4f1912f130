import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";

let folder: string;
let wire: Wire;

beforeAll(async () => {
  folder = await folderOf({
    "a.ts":
      "async function a() {\n  await load(1, 2);\n  await other;\n  // await load()\n  const text = 'await load()';\n}\n",
    "view.tsx": "export const view = async () => <p>{await load()}</p>;\n",
    "b.js": "const b = async () => await load(\n  3,\n);\n",
    "c.py": "def c():\n    try:\n        load(1)\n    except Error:\n        pass\n",
    "d.go":
      'package d\n\nfunc D() {\n\tx := fmt.Println("a", 2)\n\tload(1)\n\tif err != nil {\n\t\treturn err\n\t}\n}\n',
    "e.rs": "fn e() -> i32 { load(1).unwrap() }\n",
    "F.java": 'class F { void f() { load(1); System.out.println("x"); } }\n',
    "g.c": "int g(void) {\n  return load(1, h(2));\n}\n",
    "h.cpp": "int H::h() { return load<int>(1) + load(2); }\n",
    "i.h": "inline int i() { return load(3); }\n",
    extensionless: "await load(9)\n",
  });
  wire = await onWire({ roots: [folder] });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

describe("search_code finds code, but no text that looks like it", () => {
  test.each([
    ["typescript", "await $F($$$)", "a.ts\n2: await load(1, 2)\nview.tsx\n1: await load()"],
    ["javascript", "await $F($$$)", "b.js\n1: await load( 3, )"],
    ["python", "load($A)", "c.py\n3: load(1)"],
    ["python", "try:\n    $$$\nexcept $E:\n    pass", "c.py\n2: try: load(1) except Error: pass"],
    ["go", "load($A)", "d.go\n5: load(1)"],
    ["go", "fmt.Println($$$)", 'd.go\n4: fmt.Println("a", 2)'],
    ["go", "if err != nil { $$$ }", "d.go\n6: if err != nil { return err }"],
    ["rust", "$X.unwrap()", "e.rs\n1: load(1).unwrap()"],
    ["java", "$A.println($$$)", 'F.java\n1: System.out.println("x")'],
    ["c", "load($$$)", "g.c\n2: load(1, h(2))\ni.h\n1: load(3)"],
    ["c", "return $A;", "g.c\n2: return load(1, h(2));\ni.h\n1: return load(3);"],
    ["cpp", "load($A)", "h.cpp\n1: load(2)\ni.h\n1: load(3)"],
  ])("%s: %s", async (language, pattern, text) => {
    expect(await wire.text("search_code", { language, pattern })).toBe(text);
  });
});

test("search_code parses a named file as the requested language", async () => {
  const args = { pattern: "await $F($$$)", language: "javascript", path: "extensionless" };
  expect(await wire.text("search_code", args)).toBe("extensionless\n1: await load(9)");
});

test("search_code explains patterns if nothing is found, and reports the problem of an invalid one", async () => {
  const hint = "$NAME stands for one node";
  expect(await wire.text("search_code", { language: "go", pattern: "nowhere($A" })).toContain(hint);
  const failure = await wire.failure("search_code", { language: "typescript", pattern: "await a; b" });
  expect(failure).toMatch(/^invalid_input: pattern: Multiple AST nodes are detected/);
  expect(await wire.failure("search_code", { language: "go", pattern: "$$$" })).toContain("`$$$` is invalid");
});

test.each(["(".repeat(5000), `f(${"[".repeat(4000)}`, "$A ".repeat(3000), "\0", "\u{1F600}$\u{10000}µ"])(
  "search_code survives the pattern %#",
  async (pattern) => {
    const answer = await wire
      .text("search_code", { language: "typescript", pattern })
      .catch((error: unknown) => String(error));
    expect(answer).toMatch(/none|invalid_input: pattern/);
  },
);

test("parsers survive code nested a hundred thousand deep", async () => {
  const depth = 100_000;
  const deep = await folderOf({
    "a.ts": `${"(".repeat(depth)}${")".repeat(depth)};\n`,
    "b.py": `x = ${"[".repeat(depth)}\n`,
    "c.c": `int f() {${"{".repeat(depth)}${"}".repeat(depth)}}\n`,
    "d.ts": "const after = 1;\n",
  });
  const own = await onWire({ roots: [deep] });
  expect(await own.text("search_symbols", { limit: 10 })).toBe("c.c\n1 function f\nd.ts\n1 constant after");
  expect(await own.text("search_code", { pattern: "const $A = 1", language: "typescript" })).toContain("d.ts");
  await own.close();
  await rm(deep, { recursive: true });
});
