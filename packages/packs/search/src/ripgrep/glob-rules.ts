import type { FileHandle } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { compileGlob } from "@toolpacks/core/roots";
import { unnamedFile } from "./unnamed-file.ts";

/** Globs of files to search, and how to test a path against them. */
export interface GlobRules {
  /** Ignore rules for ripgrep that leave everything out but what the globs match. The caller closes it. */
  readonly file: FileHandle;
  readonly matches: (path: string) => boolean;
}

/**
 * ripgrep's own `--glob` overrules `.gitignore` and shows hidden files: `**` would search `node_modules` and `.git`. As the
 * ignore rules of least precedence, the same globs only narrow. What a `.gitignore` takes back (`!kept.log`) is not asked
 * of them, so paths are tested once more.
 *
 * @param globs relative to the directory that is searched; at any depth where they hold no slash
 */
export async function globRules(globs: readonly string[]): Promise<GlobRules> {
  const wanted = globs.map((glob) => tidy(glob));
  const matchers = wanted.map((glob) => compileGlob(glob, "globs"));
  const rules = [
    "*",
    "!*/",
    ...wanted.map((glob) => `!${glob.replace(/ +$/, (spaces) => "\\ ".repeat(spaces.length))}`),
  ];
  return { file: await unnamedFile(`${rules.join("\n")}\n`), matches: (file) => matchers.some((match) => match(file)) };
}

function tidy(glob: string): string {
  if (/[\0\n\r]/.test(glob)) throw new ToolError("invalid_input", "globs: expected no line break or NUL in a glob");
  return glob.replace(/^(?:\.\/)+/, "").replace(/\/$/, "/**");
}
