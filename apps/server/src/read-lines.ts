import { createWriteStream, statSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { ToolError } from "@toolpacks/core";
import { fileError } from "./file-error.ts";

/** Maximum characters of a line. A record of a store takes at most half of it. */
const maxLineLength = 32 * 1024 * 1024;

/**
 * Reads the lines of a file, or of stdin for `-`. The file is opened at once, and its lines are read on demand.
 * Only a line feed ends a line: JSON may hold other separators inside its strings.
 *
 * @throws ToolError that names the file; `too_large` for a line of more than 64 Mi characters
 */
export async function readLines(file: string): Promise<AsyncGenerator<string>> {
  try {
    return linesOf(file === "-" ? process.stdin : (await open(file)).createReadStream(), file);
  } catch (error) {
    throw fileError(error, file);
  }
}

/**
 * Reads lines for a transaction. Input that may be slow, such as a pipe, is first copied to a private temporary file, because a transaction that
 * waits for its input locks out other writers.
 */
export async function readLinesAtOnce(file: string): Promise<AsyncGenerator<string>> {
  if (file !== "-" && statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return readLines(file);
  const folder = await mkdtemp(path.join(tmpdir(), "toolpacks-import-"));
  try {
    const copy = path.join(folder, "lines");
    const input = file === "-" ? process.stdin : (await open(file)).createReadStream();
    const lines = async function* () {
      for await (const line of linesOf(input, file)) yield `${line}\n`;
    };
    await pipeline(lines, createWriteStream(copy, { flags: "wx", mode: 0o600 }));
    const handle = await open(copy);
    return linesOf(handle.createReadStream(), file);
  } catch (error) {
    throw fileError(error, file);
  } finally {
    // An open file stays readable until it is closed.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function* linesOf(input: NodeJS.ReadableStream, file: string): AsyncGenerator<string> {
  let rest = "";
  let number = 1;
  let isFirst = true;
  try {
    for await (const part of input.setEncoding("utf8") as AsyncIterable<string>) {
      // A byte order mark is not part of the first line.
      rest += isFirst ? part.replace(/^\uFEFF/, "") : part;
      isFirst = false;
      const lines = part.includes("\n") ? rest.split("\n") : [rest];
      if ((lines[0] ?? "").length > maxLineLength) {
        throw new ToolError("too_large", `${file}: line ${number}: expected at most ${maxLineLength} characters`);
      }
      rest = lines.pop() ?? "";
      number += lines.length;
      yield* lines;
    }
  } catch (error) {
    throw fileError(error, file);
  }
  if (rest !== "") yield rest;
}
