import { createWriteStream, statSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ToolError } from "@toolpacks/core";
import { createLineReader } from "@toolpacks/bounded-io";
import { fileError } from "@toolpacks/files";
import type { Io } from "@toolpacks/terminal";

/** Maximum bytes of a line. A record of a store takes at most half of it. */
const maxLineBytes = 32 * 1024 * 1024;

/**
 * Reads the lines of a file, or of stdin for `-`. The file is opened at once, and its lines are read on demand.
 * Only a line feed ends a line: JSON may hold other separators inside its strings.
 *
 * @throws ToolError that names the file; `too_large` for a line of more than 32 MiB
 */
export async function readLines(io: Io, file: string): Promise<AsyncGenerator<string>> {
  try {
    return linesOf(await openInput(io, file), file);
  } catch (error) {
    throw fileError(error, file);
  }
}

/**
 * Reads lines for a transaction. Input that may be slow, such as a pipe, is first copied to a private temporary file, because a transaction that
 * waits for its input locks out other writers.
 */
export async function readLinesAtOnce(io: Io, file: string): Promise<AsyncGenerator<string>> {
  if (file !== "-" && statSync(path.resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile() !== false) {
    return readLines(io, file);
  }
  const folder = await mkdtemp(path.join(tmpdir(), "toolpacks-import-"));
  try {
    const copy = path.join(folder, "lines");
    const input = await openInput(io, file);
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

async function openInput(io: Io, file: string): Promise<Readable> {
  return file === "-" ? io.stdin : (await open(path.resolve(io.cwd, file))).createReadStream();
}

async function* linesOf(input: Readable, file: string): AsyncGenerator<string> {
  let lines: string[] = [];
  let number = 1;
  /** Bytes after the last line break. */
  let rest = 0;
  const tooLarge = (): never => {
    throw new ToolError("too_large", `${file}: line ${number + lines.length}: expected at most ${maxLineBytes} bytes`);
  };
  const line = (bytes: Buffer) => {
    const isFirst = number + lines.length === 1;
    // A byte order mark is not part of the first line.
    lines.push(isFirst ? bytes.toString().replace(/^\uFEFF/, "") : bytes.toString());
  };
  const read = createLineReader(maxLineBytes, { line, tooLong: tooLarge });
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      read(chunk);
      const end = chunk.lastIndexOf("\n");
      rest = end < 0 ? rest + chunk.length : chunk.length - end - 1;
      yield* lines;
      number += lines.length;
      lines = [];
      // The line may have no end.
      if (rest > maxLineBytes) tooLarge();
    }
  } catch (error) {
    throw fileError(error, file);
  }
  if (rest > 0) read(Buffer.from("\n"));
  yield* lines;
}
