import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";
import { parseSource } from "./sources/parser-process.ts";

const extensions = {
  typescript: "ts",
  javascript: "js",
  python: "py",
  go: "go",
  rust: "rs",
  java: "java",
  c: "c",
  cpp: "cpp",
} as const;
type LanguageName = keyof typeof extensions;
const languages: readonly LanguageName[] =
  process.env["TOOLPACKS_CAMPAIGN"] === undefined ? ["typescript"] : ["typescript", "python", "rust", "cpp"];

/** Sources that need far more time or memory than their size suggests. */
const hostile: Readonly<Record<string, string>> = {
  "open-calls": "f(".repeat(10_000),
  "nested-calls": `${"f(".repeat(10_000)}${")".repeat(10_000)}`,
  "nested-lists": `x = ${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  "nested-blocks": `${"{".repeat(20_000)}${"}".repeat(20_000)}`,
  "nested-classes": "class a{".repeat(10_000),
  "nested-functions": "fn f(){".repeat(5_000),
  "many-matches": "f(1);\n".repeat(20_000),
  "one-long-line": `x = ${"f(1)+".repeat(20_000)}1`,
  operators: "-!~".repeat(20_000),
  strings: `x = ${'"\\'.repeat(20_000)}`,
  "nearly-binary": Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(1 + ((at * 7919) % 0xd7ff))).join(""),
};

let folder: string;
let wire: Wire;

beforeAll(async () => {
  const files = languages.flatMap((language) =>
    Object.entries(hostile).map(([name, source]) => [`${language}/${name}.${extensions[language]}`, source] as const),
  );
  const good = languages.map((language) => [`${language}/z.${extensions[language]}`, "after(1);\n"] as const);
  folder = await folderOf(Object.fromEntries([...files, ...good]));
  wire = await onWire({ roots: [folder], timeoutMs: 120_000 });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

test.each(languages)(
  "search_code and search_symbols survive hostile %s, go on to the files after it, and name what they skip",
  { timeout: 240_000 },
  async (language) => {
    const before = process.memoryUsage.rss();
    for (const pattern of ["$F($$$)", "$A"]) {
      const page = await wire.value("search_code", { pattern, language, path: language, limit: 5 });
      expect(JSON.stringify(page).length).toBeLessThan(20_000);
      for (const { reason } of page.skipped ?? []) expect(reason).toMatch(/^(?:parsing it took|the parser crashed)/);
    }
    expect(await wire.text("search_code", { pattern: "after($A)", language, path: language })).toContain("after(1)");
    await wire.value("search_symbols", { path: language, limit: 5 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 ** 2);
  },
);

test("nested matches do not copy their text each", { timeout: 60_000 }, async () => {
  const nested = await folderOf({ "a.ts": "f(".repeat(70_000), "b.ts": `${"f(".repeat(70_000)}${")".repeat(70_000)}` });
  const own = await onWire({ roots: [nested] });
  const before = process.memoryUsage.rss();
  const page = await own.value("search_code", { pattern: "$F($$$)", language: "typescript", limit: 3 });
  expect(page).toMatchObject({
    total: 70_000,
    items: [{ path: "b.ts", matches: [{ line: 1 }, { line: 1 }, { line: 1 }] }],
  });
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 ** 2);
  await own.close();
  await rm(nested, { recursive: true });
});

test(
  "a file that is too large for the parser is reported with the reason, and the search goes on",
  { timeout: 60_000 },
  async () => {
    const large = await folderOf({ "a.ts": `x = ${"f(1)+".repeat(200_000)}1`, "b.ts": "g(2);\n" });
    const own = await onWire({ roots: [large] });
    const result = await own.result("search_code", { pattern: "$A", language: "typescript", limit: 2 });
    expect(result.value).toMatchObject({
      items: [{ path: "b.ts" }],
      partial: true,
      skipped: [{ path: "a.ts", reason: expect.stringMatching(/^parsing it took|^the parser crashed/) as string }],
    });
    expect(result.text).toMatch(/\nskipped a\.ts: (?:parsing it took|the parser crashed)/);
    await own.close();
    await rm(large, { recursive: true });
  },
);

test("matches are cut correctly from a source with any characters", async () => {
  const odd = await folderOf({
    "a.ts": `const a = "😀ü漢"; call("😀", 1); /* ü😀 */ call(2);\n${"// 😀\n".repeat(3)}call(3);\n`,
  });
  const own = await onWire({ roots: [odd] });
  expect(await own.text("search_code", { pattern: "call($$$)", language: "typescript" })).toBe(
    'a.ts\n1: call("😀", 1)\n1: call(2)\n5: call(3)',
  );
  await own.close();
  await rm(odd, { recursive: true });
});

test("a search that parses ends at once when it is cancelled", async () => {
  const controller = new AbortController();
  const args = { pattern: "$A", language: "typescript", path: "typescript", limit: 5000 };
  const call = wire.text("search_code", args, { signal: controller.signal });
  setTimeout(() => controller.abort(), 300);
  const started = performance.now();
  await expect(call).rejects.toThrow();
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(await wire.text("search_symbols", { path: "typescript/z.ts" })).toBe("none");
});

test("an idle parser process does not keep the server alive", async () => {
  const task = { parser: "typescript", source: "f(1)", maxFound: 10, search: { kind: "code", pattern: "$A" } } as const;
  expect(await parseSource(task, new AbortController().signal)).toMatchObject({ kind: "found" });
  const resources = process.getActiveResourcesInfo();
  expect(resources.filter((name) => name === "ProcessWrap")).toEqual([]);
});

test("a header of blank lines is read in linear time", async () => {
  const headers = await folderOf({ "x.h": `${"\n".repeat(200_000)}int after() { return 1; }\n` });
  const own = await onWire({ roots: [headers], timeoutMs: 10_000 });
  const begin = performance.now();
  expect(await own.text("search_symbols", {})).toBe("x.h\n200001 function after");
  expect(performance.now() - begin).toBeLessThan(8_000);
  await own.close();
  await rm(headers, { recursive: true });
});

test("a name with a line break is shown on one line", async () => {
  const source = 'class Auth { [`x\n12 method verify in Auth\nnext: cursor "abc"`]() {} }\n';
  const odd = await folderOf({ "a.ts": source });
  const own = await onWire({ roots: [odd] });
  expect((await own.text("search_symbols", {})).split("\n")).toHaveLength(3);
  await own.close();
  await rm(odd, { recursive: true });
});
