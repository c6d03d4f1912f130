import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { randomNumbers } from "./random-numbers.ts";

const words = "alpha beta gamma delta request response handler value index result error token".split(" ");
export const filesInTree = 24_000;

/** Writes 24,000 source files of 0.5 to 9 KB in 200 folders; `needle` is in one of forty, `alpha` in nearly all. */
export function writeTree(root: string): void {
  const random = randomNumbers(1);
  const line = () => Array.from({ length: 3 + random(8) }, () => words[random(words.length)]).join(" ");
  for (let at = 0; at < filesInTree; at += 1) {
    const folder = path.join(root, `area-${at % 20}`, `part-${at % 200}`);
    if (at < 200) mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 15 + random(150) }, line);
    if (at % 40 === 7) lines.push("the needle is here");
    writeFileSync(path.join(folder, `file-${at}.${at % 3 === 0 ? "py" : "ts"}`), `${lines.join("\n")}\n`);
  }
}

/** Writes a text file of this size. One line in a thousand holds `needle`. */
export function writeLargeFile(file: string, bytes: number): void {
  const line = `${"some words of a log line that goes on ".repeat(2)}\n`;
  const block = Buffer.from(`${line.repeat(999)}the needle of a thousand lines\n`);
  writeInBlocks(file, block, Math.ceil(bytes / block.length));
}

/** Writes a file with this number of lines, all of which match `needle`. */
export function writeMatches(file: string, lines: number): void {
  const perBlock = 10_000;
  writeInBlocks(file, Buffer.from("a needle on every line of it\n".repeat(perBlock)), lines / perBlock);
}

function writeInBlocks(file: string, block: Buffer, blocks: number): void {
  const descriptor = openSync(file, "w");
  for (let at = 0; at < blocks; at += 1) writeSync(descriptor, block);
  closeSync(descriptor);
}
