import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of a README. */
export interface CodeBlock {
  /** The README, from the repository's root. */
  readonly file: string;
  readonly line: number;
  /** What stands behind the fence; empty for a transcript of calls. */
  readonly language: string;
  readonly text: string;
}

/** Every fenced block of every README that is in the repository. */
export function readmeBlocks(): readonly CodeBlock[] {
  const files = execFileSync("git", ["ls-files", "*README.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  return files.flatMap((file) => blocksOf(file, readFileSync(path.join(root, file), "utf8")));
}

function blocksOf(file: string, text: string): readonly CodeBlock[] {
  return [...text.matchAll(/^```(\S*)[^\n]*\n([^]*?)^```$/gm)].map(({ index, 1: language = "", 2: block = "" }) => ({
    file,
    line: text.slice(0, index).split("\n").length,
    language,
    text: block,
  }));
}

/** How a block is named in tests. */
export function blockLabel({ file, line }: CodeBlock): string {
  return `${file}:${line}`;
}
