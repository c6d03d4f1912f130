import { ToolError } from "@toolpacks/core";
import { compileGlob } from "@toolpacks/files";
import { writeRuleFile, type RuleFile } from "./rule-file.ts";

/** The globs of a search, as ignore rules for ripgrep and as a matcher. */
export interface GlobRules {
  /** A file with ignore rules that exclude everything except the globs' matches. The caller closes it. */
  readonly file: RuleFile;
  readonly matches: (path: string) => boolean;
}

/**
 * Converts globs to ignore rules. ripgrep's `--glob` overrides `.gitignore` and includes hidden files: `**` would search `node_modules` and `.git`. As
 * ignore rules with the lowest precedence, the globs only exclude files. A `.gitignore` rule with `!` overrides them, so found paths must be checked
 * with `matches` again.
 *
 * @param globs relative to the searched directory; a glob without a slash matches at any depth
 */
export async function globRules(globs: readonly string[]): Promise<GlobRules> {
  const wanted = globs.map((glob) => tidy(glob));
  const matchers = wanted.map((glob) => compileGlob(glob, "globs"));
  const rules = [
    "*",
    "!*/",
    ...wanted.map((glob) => `!${glob.replace(/ +$/, (spaces) => "\\ ".repeat(spaces.length))}`),
  ];
  return {
    file: await writeRuleFile(`${rules.join("\n")}\n`),
    matches: (file) => matchers.some((match) => match(file)),
  };
}

function tidy(glob: string): string {
  if (/[\0\n\r]/.test(glob)) throw new ToolError("invalid_input", "globs: expected no line break or NUL in a glob");
  return glob.replace(/^(?:\.\/)+/, "").replace(/\/$/, "/**");
}
