import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of a README or of a page of the site. */
export interface CodeBlock {
  /** The README or page, from the repository's root. */
  readonly file: string;
  readonly line: number;
  /** Language after the opening fence; empty for a transcript of calls. */
  readonly language: string;
  /** What follows the language, such as `[notes.ts]`, the name of a file. */
  readonly info: string;
  readonly text: string;
}

/** Finds all fenced blocks of the READMEs in the repository. */
export function readmeBlocks(): readonly CodeBlock[] {
  return blocksOf("*README.md");
}

/** Finds all fenced blocks of the pages of the site. */
export function pageBlocks(): readonly CodeBlock[] {
  return blocksOf("docs/*.md");
}

function blocksOf(pattern: string): readonly CodeBlock[] {
  const files = execFileSync("git", ["ls-files", pattern], { cwd: root, encoding: "utf8" }).trim().split("\n");
  return files.flatMap((file) => parseBlocks(file, readFileSync(path.join(root, file), "utf8")));
}

function parseBlocks(file: string, text: string): readonly CodeBlock[] {
  return [...text.matchAll(/^```(\S*)([^\n]*)\n([^]*?)^```$/gm)].map(
    ({ index, 1: language = "", 2: info = "", 3: block = "" }) => ({
      file,
      line: text.slice(0, index).split("\n").length,
      language,
      info: info.trim(),
      text: block,
    }),
  );
}

/** The name of a block in tests. */
export function blockLabel({ file, line }: CodeBlock): string {
  return `${file}:${line}`;
}
