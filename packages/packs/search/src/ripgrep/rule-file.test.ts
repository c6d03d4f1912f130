import { existsSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { writeRuleFile } from "./rule-file.ts";
import { runRipgrep } from "./run-ripgrep.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "rule-file-")));
for (const name of ["a.txt", "b.log", "c.md"]) writeFileSync(path.join(folder, name), "x\n");

test.each(["linux", "win32"] as const)("rules of a file as on %s decide what ripgrep lists", async (platform) => {
  const globRules = await writeRuleFile("*\n!*/\n!*.txt\n", platform);
  const signal = new AbortController().signal;
  const found: string[] = [];
  try {
    const args = ["--files", "--sort=path", "--", "."];
    for await (const chunk of runRipgrep({ args, cwd: folder, globRules, signal })) found.push(String(chunk));
  } finally {
    await globRules.close();
  }
  expect(found.join("")).toBe("./a.txt\n");
  expect(globRules.path === undefined).toBe(platform === "linux");
  expect(globRules.path === undefined || existsSync(globRules.path)).toBe(platform === "linux");
});
