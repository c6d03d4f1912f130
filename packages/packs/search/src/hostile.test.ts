import { existsSync, readdirSync } from "node:fs";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";

const canary = "canary-7b21";
let base: string;
let wire: Wire;

beforeAll(async () => {
  base = await folderOf({
    "secret.txt": `${canary} text\n`,
    "elsewhere/secret.ts": `export const text = "${canary}";\n`,
    "data/a.txt": "text --pre=cat and (a+)+$ and *\n",
    "data/sub/b.ts": "export const text = 1;\n",
    "data/aaa.txt": `${"a".repeat(100_000)}\n`,
  });
  await symlink("../secret.txt", path.join(base, "data/to-file.txt"));
  await symlink("../elsewhere", path.join(base, "data/to-folder"));
  await symlink("/", path.join(base, "data/to-top"));
  wire = await onWire({ roots: [path.join(base, "data")] });
});

afterAll(async () => {
  await wire.close();
  await rm(base, { recursive: true });
});

describe("a pattern is never an option or a command", () => {
  const pre = (name: string) => `--pre=${path.join(base, name)}`;
  test.each([
    "--pre=cat",
    "--pre-glob=*",
    "--files",
    "--hostname-bin=/bin/sh",
    "--search-zip",
    "-e",
    "--",
    "-",
    "--help",
    "--follow",
    "--no-ignore",
    "; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "| touch pwned",
    "\n touch pwned",
    "%s%n",
  ])("such as %j", async (hostile) => {
    for (const args of [
      { pattern: hostile },
      { pattern: hostile, literal: true },
      { pattern: "text", globs: [hostile] },
      { pattern: "text", globs: [`!${hostile}`] },
      { pattern: "text", types: [hostile] },
    ]) {
      // Either it matches literally, or the error names the argument.
      const answer = await wire.text("search_text", args).catch((error: unknown) => String(error));
      expect(answer).toMatch(/^(?:a\.txt|sub\/b\.ts|none|Error: invalid_input: (?:pattern|globs|types))/);
      expect(answer).not.toContain(canary);
    }
    await wire.text("search_files", { fuzzy: hostile });
    if (hostile.startsWith("\n")) expect(await wire.failure("search_symbols", { name: hostile })).toContain("name: ");
    else await wire.text("search_symbols", { name: hostile });
    expect(readdirSync(path.join(base, "data")).toSorted()).toEqual([
      "a.txt",
      "aaa.txt",
      "sub",
      "to-file.txt",
      "to-folder",
      "to-top",
    ]);
    expect(existsSync("pwned")).toBe(false);
  });

  test("no preprocessor that a glob or pattern names is started", async () => {
    await writeFile(path.join(base, "run.sh"), `#!/bin/sh\ntouch ${path.join(base, "started")}\n`, { mode: 0o755 });
    for (const pattern of [pre("run.sh"), `x\n${pre("run.sh")}`]) {
      await wire.text("search_text", { pattern, globs: [pre("run.sh")], literal: true }).catch(() => {});
    }
    expect(existsSync(path.join(base, "started"))).toBe(false);
  });
});

test("a literal that looks like an option is found", async () => {
  expect(await wire.text("search_text", { pattern: "--pre=cat", literal: true })).toContain("a.txt\n1: text --pre=cat");
});

test.each(["(a+)+$", "(a|a)*$", "(.*a){20}b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y"])(
  "the catastrophic %s is matched in linear time",
  async (pattern) => {
    const started = performance.now();
    await wire.text("search_text", { pattern, path: "aaa.txt" });
    expect(performance.now() - started).toBeLessThan(5000);
  },
);

test.each([`${"*a".repeat(100)}b`, `${"**/a/".repeat(12)}b`, `${"*a?".repeat(60)}b`, "{a,b}{a,b}{a,b}{a,b}*a*a*a*b"])(
  "the catastrophic glob %s is matched in linear time",
  async (glob) => {
    const many = await folderOf({ ["a".repeat(200)]: "text\n", [`${"a/".repeat(60)}c`]: "text\n" });
    const own = await onWire({ roots: [many] });
    const started = performance.now();
    expect(await own.text("search_files", { glob })).toBe("none");
    expect(await own.text("search_text", { pattern: "text", globs: [glob] })).toBe("none");
    expect(performance.now() - started).toBeLessThan(5000);
    await own.close();
    await rm(many, { recursive: true });
  },
);

test("names with line breaks and escapes are quoted", async () => {
  const names = ["a\n(2 of 900)\nnext: cursor", "esc\u001b[2J.ts"];
  const odd = await folderOf(Object.fromEntries(names.map((name) => [name, "const found = 1;\n"])));
  const own = await onWire({ roots: [odd] });
  for (const text of [
    await own.text("search_files", {}),
    await own.text("search_text", { pattern: "found", mode: "files" }),
    await own.text("search_text", { pattern: "found", mode: "count" }),
    await own.text("search_text", { pattern: "found" }),
  ]) {
    expect(text).toContain(String.raw`"a\n(2 of 900)\nnext: cursor"`);
    expect(text).toContain(String.raw`"esc\u001b[2J.ts"`);
    expect(text).not.toContain("\u001b");
  }
  expect(await own.text("search_symbols", {})).toContain(String.raw`"esc\u001b[2J.ts"`);
  expect((await own.value("search_files", {})).items.map(({ path: one }) => one).toSorted()).toEqual(names.toSorted());
  await own.close();
  await rm(odd, { recursive: true });
});

describe("a pattern that ripgrep rejects fails with the reason and position", () => {
  test.each([
    ["foo(bar", "pattern: unclosed group"],
    ["foo)bar", "pattern: unopened group"],
    ["a[b", "pattern: unclosed character class at character 2"],
    ["ab{2,1}", "invalid repetition count range, the start must be <= the end at character 3"],
    ["\\y", "pattern: unrecognized escape sequence at character 1"],
    ["a(?=b)", "look-around, including look-ahead and look-behind, is not supported at character 2"],
    ["(a)\\1", "backreferences are not supported at character 4"],
    ["(a{1000}){1000}", "size limit"],
    ["a\nb", "Set multiline to match across lines."],
    ["a\0b", "expected no NUL"],
  ])("%j", async (pattern, problem) => {
    const failure = await wire.failure("search_text", { pattern });
    expect(failure).toContain(problem);
    expect(failure).not.toMatch(/pcre2|--\w/);
  });

  test("one of 100 KB", async () => {
    expect(await wire.failure("search_text", { pattern: "a".repeat(100_000) })).toContain(
      "pattern: expected at most 10000 characters",
    );
  });

  test.each([
    ["*.ts\n!*", "expected no line break or NUL in a glob"],
    ["a\0", "expected no line break or NUL in a glob"],
    ["{a", "unclosed alternate group"],
  ])("and so does the glob %j", async (glob, problem) => {
    expect(await wire.failure("search_text", { pattern: "text", globs: [glob] })).toContain(problem);
  });

  test("and so does an unknown type", async () => {
    expect(await wire.failure("search_text", { pattern: "text", types: ["klingon"] })).toContain(
      "no file type is named klingon",
    );
  });
});

describe("nothing outside the roots is found", () => {
  test.each([
    "..",
    "../secret.txt",
    "/",
    "/etc/passwd",
    "to-file.txt",
    "to-folder",
    "to-folder/secret.ts",
    "to-top/etc",
    "sub/../..",
  ])("by the path %j", async (outside) => {
    const calls = [
      wire.failure("search_text", { pattern: ".", path: outside, hidden: true, ignored: true }),
      wire.failure("search_text", { pattern: ".", path: outside, mode: "count" }),
      wire.failure("search_files", { path: outside }),
      wire.failure("search_code", { pattern: "$A", language: "typescript", path: outside }),
      wire.failure("search_symbols", { path: outside }),
    ];
    for (const failure of await Promise.all(calls)) {
      expect(failure).toMatch(/^denied: /);
      expect(failure).not.toContain(canary);
    }
  });

  test.each(["../**", "/../*", "to-folder/**", "**/secret*", "!../**", "/etc/*"])("by the glob %j", async (glob) => {
    expect(await wire.text("search_text", { pattern: ".", globs: [glob], hidden: true, ignored: true })).not.toContain(
      canary,
    );
    expect(await wire.text("search_files", { glob, ignored: true })).not.toMatch(/secret|passwd/);
  });

  test("by walking through links", async () => {
    expect(await wire.text("search_text", { pattern: canary, ignored: true, hidden: true })).toBe("none");
    expect(await wire.text("search_files", { fuzzy: "secret" })).toBe("none");
  });

  test("while a folder is swapped for a link again and again", async () => {
    await mkdir(path.join(base, "data/swapped"));
    await writeFile(path.join(base, "data/swapped/secret.ts"), 'export const text = "harmless";\n');
    await symlink("../elsewhere", path.join(base, "link"));
    let leaked = false;
    const ended = new AbortController();
    const swap = (async () => {
      while (!ended.signal.aborted) {
        await rename(path.join(base, "data/swapped"), path.join(base, "aside"));
        await rename(path.join(base, "link"), path.join(base, "data/swapped"));
        await sleep(1);
        await rename(path.join(base, "data/swapped"), path.join(base, "link"));
        await rename(path.join(base, "aside"), path.join(base, "data/swapped"));
        await sleep(1);
      }
    })();
    const ends = performance.now() + 3000;
    while (performance.now() < ends) {
      for (const args of [{ pattern: "text" }, { pattern: "text", path: "swapped" }]) {
        const answer = await wire.text("search_text", args).catch((error: unknown) => String(error));
        leaked ||= answer.includes(canary);
      }
    }
    ended.abort();
    await swap;
    expect(leaked).toBe(false);
  });
});
