import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";

let folder: string;
let wire: Wire;

beforeAll(async () => {
  folder = await folderOf({
    "a.ts": [
      'import { isReady } from "./b.ts";',
      "// isReady in a comment, and in a text:",
      'const text = "isReady";',
      "export function explain(one: object) {",
      "  const found = isReady(one) || isReady(text);",
      "  return found && { isReady, check: () => isReady(one) };",
      "}",
      "isReady(text);",
    ].join("\n"),
    "b.ts": "export const isReady = (one: unknown): boolean =>\n  isReady(one);\nexport function notReady() {}\n",
    "c.ts": 'import { isReady as ready } from "./b.ts";\nready();\nexport const IsReady = 1;\n',
    "d.py": "class Issue:\n    def isReady(self):\n        pass\n    def work(self):\n        self.isReady()\n",
    "e.go": "package e\n\nfunc isReady() bool { return true }\n\nfunc run() { isReady() }\n",
    "f.rs": "fn isReady() {}\nfn run() { isReady(); }\n",
    "g.java": "class G {\n  void isReady() {}\n  void run() {\n    this.isReady();\n  }\n}\n",
    "h.c": "int isReady(int a) { return a; }\nint main(void) { return isReady(1); }\n",
    "i.cpp": "struct I { bool isReady() { return true; } };\nbool run(I i) {\n  return i.isReady();\n}\n",
    "notes.md": "isReady\n",
  });
  wire = await onWire({ roots: [folder] });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

/** The pack on a folder of its own until the end of the test. */
async function wireOn(files: Readonly<Record<string, string>>): Promise<Wire> {
  const root = await folderOf(files);
  const own = await onWire({ roots: [root] });
  onTestFinished(async () => {
    await own.close();
    await rm(root, { recursive: true });
  });
  return own;
}

describe("search_symbols with references", () => {
  test("shows the definitions of a name and the lines that use it, without comments, texts and imports", async () => {
    expect(await wire.text("search_symbols", { name: "isReady", references: true, globs: ["*.ts"] })).toBe(
      [
        "b.ts",
        "1-2 function isReady",
        "in isReady",
        "2: isReady(one);",
        "a.ts",
        "in explain",
        "5: const found = isReady(one) || isReady(text);",
        "6: return found && { isReady, check: () => isReady(one) };",
        "at top level",
        "8: isReady(text);",
        "c.ts",
        '1: import { isReady as ready } from "./b.ts";',
      ].join("\n"),
    );
  });

  test.each([
    ["d.py", ["2-3 method Issue.isReady", "in Issue.work", "5: self.isReady()"]],
    ["e.go", ["3 function isReady", "5: func run() { isReady() }"]],
    ["f.rs", ["1 function isReady", "2: fn run() { isReady(); }"]],
    ["g.java", ["2 method G.isReady", "in G.run", "4: this.isReady();"]],
    ["h.c", ["1 function isReady", "2: int main(void) { return isReady(1); }"]],
    ["i.cpp", ["1 method I.isReady", "in run", "3: return i.isReady();"]],
  ])("finds both in %s", async (path, lines) => {
    expect(await wire.text("search_symbols", { name: "isReady", references: true, path })).toBe(
      [path, ...lines].join("\n"),
    );
  });

  test("pages without a gap or a repetition, and counts them", async () => {
    const request = { name: "isReady", references: true, exact: true };
    const all = await wire.value("search_symbols", { ...request, limit: 100 });
    expect(all.total).toBe(18);
    const paged: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await wire.value("search_symbols", {
        ...request,
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      });
      paged.push(...page.items.flatMap((item) => item["symbols"]));
      cursor = page.cursor;
    } while (cursor !== undefined);
    const inOrder = all.items.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    expect(paged).toEqual(inOrder.flatMap((item) => item["symbols"]));
    expect(await wire.text("search_symbols", { ...request, limit: 0 })).toBe("(0 of 18)");
    expect(await wire.text("search_symbols", { ...request, limit: 2 })).toMatch(/\(2 of at least 3\)\nnext: cursor/);
  });

  test("shows few lines of variables and properties, last, and names the functions whose names contain the word", async () => {
    const local = "const { ready } = await load();\nif (ready) {\n  show({ ready: true });\n}\n";
    const own = await wireOn({
      ...Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`open/v${at}.ts`, local])),
      "only/use.ts": 'import { ready } from "./z.ts";\nconst all = [ready];\n',
      "only/z.ts": "export function ready() {}\n",
      "open/types.go": "package p\nfunc isReady() {}\nvar x = Ready{}\n",
    });
    const request = { name: "ready", references: true };
    const [first, ...rest] = (await own.text("search_symbols", request)).split("\nopen/v0.ts\n");
    expect(first).toBe("only/z.ts\n1 function ready\nonly/use.ts\n2: const all = [ready];");
    expect(rest.join().split("\n").slice(-2)).toEqual([
      "(8 of 14)",
      "Not all is shown; exact: true shows all of ready. Names that contain it: isReady (open/types.go:2).",
    ]);
    for (const all of [{ limit: 14 }, { exact: true }]) {
      const whole = await own.text("search_symbols", { ...request, ...all });
      expect(whole).not.toMatch(/Not all|contain it/);
      expect(whole.match(/^open\/v3\.ts$/m)).not.toBeNull();
    }
    expect(await own.text("search_symbols", { ...request, path: "open/v0.ts" })).toMatch(/^open\/v0\.ts(\n\d: .*){3}$/);
    expect(await own.text("search_symbols", { ...request, path: "only" })).not.toContain("contain it");
  });

  test("shows names with the word, with their references, after functions and methods of this name and before local ones and those of tests", async () => {
    const own = await wireOn({
      "a.ts": "export function load() {\n  const ready = () => go();\n  return ready();\n}\n",
      "b.test.ts": 'test("it", () => {\n  const isReady = () => true;\n  isReady();\n});\nfunction ready() {}\n',
      "c.ts": 'import { isReady } from "./z.ts";\nexport const work = () => isReady();\n',
      "d.ts": "export class Offers {\n  ready() {}\n}\nexport class Pack {\n  ready() {}\n}\n",
      "e.ts": "await pack.ready();\n".repeat(7),
      "z.ts": "export function isReady() {}\nfunction alreadyDone() {}\n",
    });
    const request = { name: "ready", references: true };
    const definitions = ["d.ts", "2 method Offers.ready", "5 method Pack.ready", "z.ts", "1 function isReady"];
    const lesser = ["a.ts", "2 function load.ready", "b.test.ts", "5 function ready"];
    const alike = "Names that contain it: alreadyDone (z.ts:2).";
    expect((await own.text("search_symbols", request)).split("\n")).toEqual([
      ...definitions,
      "c.ts",
      "2: export const work = () => isReady();",
      ...lesser,
      "e.ts",
      ...Array.from({ length: 6 }, (_, at) => `${at + 1}: await pack.ready();`),
      "(12 of 13)",
      `Not all is shown; exact: true shows all of ready. ${alike}`,
    ]);
    expect(await own.text("search_symbols", { ...request, limit: 2 })).toBe(
      `d.ts\n2 method Offers.ready\n5 method Pack.ready\n(2 of 13)\nNot all is shown; exact: true shows all of ready. ${alike}`,
    );
    expect((await own.text("search_symbols", { name: "ready" })).split("\n")).toEqual([
      ...definitions,
      ...lesser,
      alike,
    ]);
    expect(await own.text("search_symbols", { name: "isReady", references: true })).toBe(
      "z.ts\n1 function isReady\nc.ts\n2: export const work = () => isReady();\nb.test.ts\n2 function isReady",
    );
  });

  test("of a member says that they are by name", async () => {
    expect(await wire.text("search_symbols", { name: "Issue.isReady", references: true, path: "d.py" })).toContain(
      "References are by name: these use isReady of any owner.",
    );
  });

  test.each([
    [{ references: true }, "references: expected with a name"],
    [{ references: true, name: "a", exact: false }, "exact: expected true or nothing with references"],
  ])("refuses %j", async (args, problem) => {
    expect(await wire.failure("search_symbols", args)).toBe(`invalid_input: ${problem}`);
  });
});
