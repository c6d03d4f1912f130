import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
    const request = { name: "isReady", references: true };
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
    expect(paged).toEqual(all.items.flatMap((item) => item["symbols"]));
    expect(await wire.text("search_symbols", { ...request, limit: 0 })).toBe("(0 of 18)");
    expect(await wire.text("search_symbols", { ...request, limit: 2 })).toMatch(/\(2 of at least 3\)\nnext: cursor/);
  });

  test("shows few lines of variables and properties, last, and names the functions whose names contain the word", async () => {
    const words = ["shut", "open"].flatMap((word) => Array.from({ length: 4 }, (_, at) => `${word}/v${at}.ts`));
    const local = "const { ready } = await load();\nif (ready) {\n  show({ ready: true });\n}\n";
    const flood = await folderOf({
      ...Object.fromEntries(words.map((name) => [name, local])),
      "only/use.ts": 'import { ready } from "./z.ts";\nconst all = [ready];\n',
      "only/z.ts": "export function ready() {}\n",
      "shut/types.go":
        "package p\nfunc isReady() {}\nvar x = Ready{}\nfunc readyFilter() {}\nfunc notReadyToday() {}\n",
    });
    const own = await onWire({ roots: [flood] });
    const request = { name: "ready", references: true };
    const places = ["isReady (shut/types.go:2)", "readyFilter (shut/types.go:4)", "notReadyToday (shut/types.go:5)"];
    const near = `Names that contain it: ${places.join(", ")}.`;
    const [first, ...rest] = (await own.text("search_symbols", request)).split("\nopen/v0.ts\n");
    expect(first).toBe("only/z.ts\n1 function ready\nonly/use.ts\n2: const all = [ready];");
    const few = "Of variables and properties only a few lines are shown; limit shows all.";
    expect(rest.join().split("\n").slice(-2)).toEqual(["(8 of 26)", `${few} ${near}`]);
    const shut = await own.result("search_symbols", { ...request, path: "shut" });
    expect(shut.value.items.map(({ path }) => path)).toEqual(["shut/v0.ts", "shut/v1.ts", "shut/v2.ts"]);
    expect(shut.text).toContain(`${few} ${near}`);
    expect(shut.value.items[0]?.["symbols"]).toMatchObject([{ kind: "use", line: 1 }, { line: 2 }]);
    const whole = await own.text("search_symbols", { ...request, limit: 100 });
    expect(whole).not.toMatch(/a few|contain it/);
    expect(whole.match(/^open\/v3\.ts$/m)).not.toBeNull();
    expect(await own.text("search_symbols", { ...request, path: "open/v0.ts" })).toMatch(/^open\/v0\.ts(\n\d: .*){3}$/);
    expect(await own.text("search_symbols", { ...request, path: "only" })).not.toContain("contain it");
    await own.close();
    await rm(flood, { recursive: true });
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
