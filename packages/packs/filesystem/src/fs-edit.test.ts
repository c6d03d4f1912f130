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
  "as one text": [{ old: numbered("before", 10_000), new: numbered("after", 10_000) }],
  "by deleting and appending": [{ from: 1, to: 10_000 }, { append: numbered("after", 10_000) }],
};

test.each(Object.entries(rewrites))(
  "rewrites 10,000 lines %s within two seconds, also on a dry run",
  async (_, edits) => {
    for (const dryRun of [true, false]) {
      writeFileSync(file(), numbered("before", 10_000));
      const started = performance.now();
      const result = await wire.value("fs_edit", { path: "a.txt", edits, dryRun });
      expect(performance.now() - started).toBeLessThan(2_000);
      expect(result).toMatchObject({ added: 10_000, removed: 10_000 });
      expect(JSON.stringify(result).length).toBeLessThan(150_000);
    }
    expect(readFileSync(file(), "utf8")).toBe(numbered("after", 10_000));
  },
);

test("cuts a long diff, and says so", async () => {
  writeFileSync(file(), numbered("before", 10_000));
  const diff = await wire.ask("fs_edit", { path: "a.txt", edits: rewrites["as one text"], dryRun: true });
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
