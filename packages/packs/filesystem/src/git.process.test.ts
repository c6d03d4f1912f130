import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

/** Generated cases of a test. One start of git checks all of them. */
const rounds = 60;

let root: string;
let wire: Wire;

beforeEach(async () => {
  root = await folderOf({});
  wire = await onWire({ roots: [root], write: true });
});

afterEach(async () => {
  await wire.close();
  rmSync(root, { recursive: true });
});

/** A pseudorandom number generator with a seed. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("git apply of a dry run's diff gives the same file as the edits", async () => {
  const random = createRandom(7);
  const diffs: string[] = [];
  const expected = new Map<string, string>();
  for (let round = 0; round < rounds; round += 1) {
    const name = `${round}.txt`;
    const file = path.join(root, name);
    const lines = Array.from({ length: random(30) }, (_, at) => `${"abc"[random(3)]}${random(4)}-${at}`);
    const before = lines.join("\n") + (random(2) === 0 ? "\n" : "");
    const count = () => readFileSync(file, "utf8").match(/[^\n]*\n|[^\n]+$/g)?.length ?? 0;
    const edits = Array.from({ length: 1 + random(5) }, (_, at) => {
      const kind = random(5);
      if (kind === 0) return { append: `end ${round}${random(2) === 0 ? "\n" : ""}` };
      if (kind === 1) return { prepend: random(2) === 0 ? "start\n" : "start " };
      const line = 1 + random(Math.max(1, lines.length - 5));
      if (kind === 2) return { line, insert: `in ${at}\nside` };
      if (kind === 3) return { from: line, to: line + random(2) };
      return { old: lines[random(lines.length)] ?? "x", new: ["", "new", "two\nlines\n"][random(3)] };
    });
    writeFileSync(file, before);
    const had = count();
    const diff = await wire.ask("fs_edit", { path: name, edits, dryRun: true });
    if (diff.startsWith("invalid_input") || !diff.includes("@@")) continue;
    const result = await wire.value("fs_edit", { path: name, edits });
    expect(count(), JSON.stringify({ before, edits })).toBe(had + Number(result["added"]) - Number(result["removed"]));
    expected.set(file, readFileSync(file, "utf8"));
    diffs.push(diff.endsWith("\n") ? diff : `${diff}\n`);
    writeFileSync(file, before);
  }
  expect(diffs.length).toBeGreaterThan(rounds / 4);
  execFileSync("git", ["apply", "-p0", "--unidiff-zero", "-"], { cwd: root, input: diffs.join("") });
  for (const [file, text] of expected) expect([file, readFileSync(file, "utf8")]).toEqual([file, text]);
});

const names = ["a", "b", "ab", "a.b", "b.a", "A", "-", "!a", "#a", "a b", "aab", "b1", "]"];
const fragments = [
  "a",
  "b",
  "ab",
  "*",
  "?",
  "**",
  "/",
  "/",
  "[ab]",
  "[!a]",
  "[^b]",
  "[a-b1]",
  "[]a]",
  "[[:alpha:]]",
  "[[:digit:]]",
  "\\a",
  "\\*",
  "\\!",
  "\\#",
  ".",
  "**/",
  "/**",
  "/**/",
  " ",
  "\\ ",
  "[a",
  "\\",
  "!",
  "#",
  "A",
  "-",
  "*.b",
  "[a\\-b]",
];

test(
  "fs_list shows the files that git does not ignore, for generated trees and rules",
  { timeout: 120_000 },
  async () => {
    const random = createRandom(11);
    const rule = () =>
      (random(4) === 0 ? "!" : "") +
      Array.from({ length: 1 + random(4) }, () => fragments[random(fragments.length)]).join("") +
      ["", "", "/", " ", "\r"][random(5)];
    const listed: { all: readonly string[]; shown: readonly string[]; rules: string }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const base = path.join(root, `${round}`);
      const rules: Record<string, string> = {};
      const folders = ["", ...Array.from({ length: 6 }, () => `${names[random(names.length)]}/`)];
      for (const folder of folders.slice()) folders.push(`${folder}${names[random(names.length)]}.d/`);
      for (const folder of folders) mkdirSync(path.join(base, folder), { recursive: true });
      for (const folder of folders) {
        for (const name of names) if (random(3) === 0) tryWrite(path.join(base, folder, name));
        if (folder === "" || random(3) === 0) {
          rules[folder] = Array.from({ length: 1 + random(5) }, rule).join("\n");
          writeFileSync(path.join(base, folder, ".gitignore"), rules[folder]);
        }
      }
      const [all, shown] = [await pathsIn(`${round}`, true), await pathsIn(`${round}`, false)];
      listed.push({ all, shown, rules: JSON.stringify(rules) });
    }
    // What git needs of a repository.
    for (const one of ["objects", "refs"]) mkdirSync(path.join(root, ".git", one), { recursive: true });
    writeFileSync(path.join(root, ".git/HEAD"), "ref: refs/heads/main\n");
    // No slash at the end: git would test the folder against the rules inside it.
    const plain = (one: string) => one.replace(/\/$/, "");
    const args = ["-c", "core.excludesFile=", "check-ignore", "--no-index", "--stdin", "-z"];
    const input = listed.flatMap(({ all }) => all.map(plain)).join("\0");
    const ignored = new Set(execFileSync("git", args, { cwd: root, input, encoding: "utf8" }).split("\0"));
    for (const { all, shown, rules } of listed)
      expect(shown, rules).toEqual(all.filter((one) => !ignored.has(plain(one))));
  },
);

async function pathsIn(folder: string, ignored: boolean): Promise<readonly string[]> {
  const { items } = await wire.value("fs_list", { path: folder, depth: 64, limit: 5000, ignored });
  const found = items as readonly { path: string; type: string }[];
  return found.map((one) => (one.type === "directory" ? `${one.path}/` : one.path));
}

function tryWrite(file: string): void {
  try {
    writeFileSync(file, "");
  } catch {
    // A folder has that name.
  }
}
