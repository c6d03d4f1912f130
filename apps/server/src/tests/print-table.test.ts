import { stripVTControlCharacters } from "node:util";
import path from "node:path";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { folder, run, runOnTerminal } from "../run-cli.fixture.ts";

/** Titles that try to break a table: control characters, reordered text, line breaks, wide characters, many accents, and a long text. */
const titles = [
  "plain",
  "x\u001B[2J\u009B2J\u202E\u2066\u{E0041}\u200B\nbd-1  P0  a faked row\r\ttab",
  "日本語の題名がとても長いときでも表は崩れない。日本語の題名がとても長いときでも表は崩れない。",
  "🎉🇩🇪👍🏽 ".repeat(30),
  `a${"\u0301".repeat(300)}`,
  "w".repeat(500),
];

/** Text of a record that is longer than a title may be. */
const longText = `${"long ".repeat(2_000)}end`;

async function hostileStore() {
  const cwd = folder();
  const env = { TOOLPACKS_STORE: path.join(cwd, "store.db") };
  const issues = titles.map((title) => ({
    title,
    labels: ["\u001B]0;title\u0007"],
    assignee: `名前${Array.from(title).slice(0, 5).join("")}`,
  }));
  expect((await run(["call", "issue_create", JSON.stringify({ issues })], { cwd, env })).code).toBe(0);
  expect((await run(["memory", "remember", longText, "--about", "\u202Eevil"], { cwd, env })).code).toBe(0);
  return { cwd, env };
}

const invisible = /(?!\n|\uFE0E|\uFE0F)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

function linesOf(output: string): readonly string[] {
  return output.trimEnd().split("\n");
}

describe("a table in a pipe", () => {
  test("has one line for each record, with complete and escaped cells, and no colors", async () => {
    const { stdout } = await run(["issues", "list"], await hostileStore());
    expect(stdout).not.toMatch(invisible);
    expect(linesOf(stdout)).toHaveLength(titles.length + 1);
    expect(stdout).toContain(
      "x\\u{1b}[2J\\u{9b}2J\\u{202e}\\u{2066}\\u{e0041}\\u{200b}\\u{a}bd-1  P0  a faked row\\u{d}\\u{9}tab",
    );
    expect(stdout).toContain("w".repeat(500));
  });

  test("is aligned by the width of characters, and a long cell does not move the others", async () => {
    const cwd = folder();
    const env = { TOOLPACKS_STORE: path.join(cwd, "store.db") };
    const issues = ["ann", "日本", "🎉", "a".repeat(150)].map((assignee) => ({ title: `of ${assignee}`, assignee }));
    await run(["call", "issue_create", JSON.stringify({ issues })], { cwd, env });
    const { stdout } = await run(["issues", "list"], { cwd, env });
    const starts = linesOf(stdout)
      .slice(1)
      .map((line) => stringWidth(line.slice(0, line.indexOf("of "))));
    expect(new Set(starts.slice(0, 3)).size).toBe(1);
    expect(starts[0]).toBeLessThan(120);
    expect(starts[3]).toBeGreaterThan(150);
  });
});

describe("a table on a terminal", () => {
  test.each([40, 60, 80, 200])("fits into %d columns", async (columns) => {
    const store = await hostileStore();
    for (const args of [
      ["issues", "list"],
      ["memory", "recall", ""],
      ["trace", "timeline"],
    ]) {
      const shown = stripVTControlCharacters(await runOnTerminal(args, { ...store, columns }));
      expect(shown).not.toMatch(invisible);
      for (const line of linesOf(shown)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
    const list = linesOf(stripVTControlCharacters(await runOnTerminal(["issues", "list"], { ...store, columns })));
    expect(list).toHaveLength(titles.length + 1);
    expect(list.some((line) => line.endsWith("w…"))).toBe(true);
  });

  test("shortens prose, and keeps ids whole", async () => {
    const store = await hostileStore();
    const { stdout } = await run(["memory", "recall", "", "--json"], store);
    const { items } = JSON.parse(stdout) as { items: readonly { id: string }[] };
    const shown = await runOnTerminal(["memory", "recall", ""], {
      ...store,
      columns: 50,
      env: { ...store.env, NO_COLOR: "1" },
    });
    expect(linesOf(shown)[1]).toMatch(new RegExp(`^${items[0]?.id}  …long long .*…$`));
    expect(stringWidth(linesOf(shown)[1] ?? "")).toBe(50);
  });

  test("has colors, but none with NO_COLOR", async () => {
    const store = await hostileStore();
    expect(await runOnTerminal(["issues", "list"], { ...store, columns: 80 })).toContain("\u001B[1mid\u001B[22m");
    const plain = await runOnTerminal(["issues", "list"], {
      ...store,
      columns: 80,
      env: { ...store.env, NO_COLOR: "1" },
    });
    expect(plain).not.toContain("\u001B");
    expect(linesOf(plain)).toHaveLength(titles.length + 1);
  });
});
