import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

let root: string;
let wire: Wire;
const file = () => path.join(root, "a.txt");
const numbered = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");

beforeAll(async () => {
  root = await folderOf({});
  wire = await onWire({ roots: [root], write: true });
});

afterAll(async () => {
  await wire.close();
  await rm(root, { recursive: true });
});

const rewrites = {
  "as one text": (count: number) => [{ old: numbered("be", count), new: numbered("af", count) }],
  "by deleting and appending": (count: number) => [{ from: 1, to: count }, { append: numbered("af", count) }],
};

test.each(
  Object.entries(rewrites).flatMap(([how, edits]) => [10_000, 100_000].map((count) => ({ how, count, edits }))),
)("rewrites $count lines $how within two seconds, also on a dry run", async ({ count, edits }) => {
  for (const dryRun of [true, false]) {
    writeFileSync(file(), numbered("be", count));
    const started = performance.now();
    const result = await wire.value("fs_edit", { path: "a.txt", edits: edits(count), dryRun });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(result).toMatchObject({ added: count, removed: count });
    expect(JSON.stringify(result).length).toBeLessThan(150_000);
  }
  expect(readFileSync(file(), "utf8")).toBe(numbered("af", count));
});

test("names the bound of a text that is too long", async () => {
  writeFileSync(file(), "a\n");
  const edits = [{ old: "a", new: "x".repeat(1_000_001) }];
  expect(await wire.ask("fs_edit", { path: "a.txt", edits })).toMatch(/^invalid_input: edits\[0\]\.new: .*1000000/);
});

test("cuts a long diff, and says so", async () => {
  writeFileSync(file(), numbered("be", 10_000));
  const diff = await wire.ask("fs_edit", { path: "a.txt", edits: rewrites["as one text"](10_000), dryRun: true });
  expect(diff).toMatch(/\n\(the diff is longer; edit less at once/);
});

test("counts and shows only the changed lines of a large replaced block", async () => {
  const before = numbered("line", 5_000);
  const after = before.replace("line 10\n", "").replace("line 4000\n", "new\nnewer\n");
  writeFileSync(file(), before);
  const edits = [{ old: before, new: after }];
  const diff = await wire.ask("fs_edit", { path: "a.txt", edits, dryRun: true });
  expect(diff.split("\n").filter((line) => /^[-+][^-+]/.test(line))).toEqual([
    "-line 10",
    "-line 4000",
    "+new",
    "+newer",
  ]);
  expect(await wire.ask("fs_edit", { path: "a.txt", edits })).toBe(
    [
      "edited a.txt: +2 -2 lines",
      "@@ -10,3 +10,2 @@\n line 9\n-line 10\n line 11",
      "@@ -4000,3 +3999,4 @@\n line 3999\n-line 4000\n+new\n+newer\n line 4001",
    ].join("\n"),
  );
});

test("shows an appended line with the line before it", async () => {
  writeFileSync(file(), "one\ntwo\n");
  const answer = await wire.ask("fs_edit", { path: "a.txt", edits: [{ append: "three" }] });
  expect(answer).toBe("edited a.txt: +1 -0 lines\n@@ -2,1 +2,2 @@\n two\n+three");
});

test("shows at most 2,000 characters of written changes, and 300 of one line", async () => {
  writeFileSync(file(), "");
  const long = await wire.ask("fs_edit", { path: "a.txt", edits: [{ append: `${"x".repeat(5_000)}\n` }] });
  expect(long).toBe(`edited a.txt: +1 -0 lines\n@@ -0,0 +1,1 @@\n+${"x".repeat(299)}…`);
  const many = await wire.ask("fs_edit", { path: "a.txt", edits: [{ append: numbered("line", 1_000) }] });
  expect(many.length).toBeLessThan(2_500);
  expect(many).toMatch(/\n\(more lines changed; fs_read shows them\)$/);
});

test("every occurrence is replaced only in a file that can be edited again, by its bytes", async () => {
  const text = "a".repeat(1_000_000);
  writeFileSync(file(), text);
  const edits = [{ old: "a", new: "語".repeat(10), all: true }];
  await expect(wire.value("fs_edit", { path: "a.txt", edits })).rejects.toThrow("over 16777216 bytes");
  expect(readFileSync(file(), "utf8")).toBe(text);
});

test("can be cancelled between the edits of a large file", async () => {
  writeFileSync(file(), "\n".repeat(15_000_000));
  const edits = Array.from({ length: 200 }, () => ({ line: 14_999_999, insert: "x" }));
  const controller = new AbortController();
  const call = wire.ask("fs_edit", { path: "a.txt", edits }, { signal: controller.signal });
  setTimeout(() => controller.abort(), 300);
  await expect(call).rejects.toThrow();
  const started = performance.now();
  await wire.ask("fs_stat", { path: "." });
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("edits of one file at the same time lose nothing", async () => {
  writeFileSync(file(), "");
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}\n`);
  await Promise.all(lines.map((append) => wire.value("fs_edit", { path: "a.txt", edits: [{ append }] })));
  expect(readFileSync(file(), "utf8").split("\n").toSorted()).toEqual(
    ["", ...lines.map((line) => line.trim())].toSorted(),
  );
});
