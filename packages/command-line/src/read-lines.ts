import { createWriteStream, statSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { ConfigurationError, ToolError } from "@toolpacks/core";
import { createLineReader } from "@toolpacks/bounded-io";
import { fileError } from "@toolpacks/files";
import type { Io } from "@toolpacks/terminal";

/** Maximum bytes of a line. A record of a store takes at most half of it. */
const maxLineBytes = 32 * 1024 * 1024;

/** Opens a file, or stdin for `-`, whose chunks are read on demand. @throws ToolError that names the file, also while it is read */
export async function openInput(io: Io, file: string): Promise<AsyncIterable<Buffer>> {
  if (file === "-") return readChunks(io.stdin, file);
  const handle = await open(path.resolve(io.cwd, file)).catch((error: unknown) => {
    throw fileError(error, file);
  });
  return readChunks(handle.createReadStream(), file);
}

/** Reads the whole text of stdin. @throws ConfigurationError for more than the maximum of bytes */
export async function readStdin({ stdin }: Io, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ConfigurationError(`stdin: expected at most ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Reads the lines of a file, or of stdin for `-`, for a transaction. Input that may be slow, such as a pipe, is first copied to a private temporary
 * file, because a transaction that waits for its input locks out other writers. Only a line feed ends a line: JSON may hold other separators inside its
 * strings.
 *
 * @throws ToolError that names the file; `too_large` for a line of more than 32 MiB
 */
export async function readLinesAtOnce(io: Io, file: string): Promise<AsyncGenerator<string>> {
  const input = await openInput(io, file);
  const isFast = file !== "-" && statSync(path.resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile() !== false;
  if (isFast) return linesOf(input, file);
  const folder = await mkdtemp(path.join(tmpdir(), "toolpacks-import-"));
  try {
    const copy = path.join(folder, "lines");
    const lines = async function* () {
      for await (const line of linesOf(input, file)) yield `${line}\n`;
    };
    await pipeline(lines, createWriteStream(copy, { flags: "wx", mode: 0o600 }));
    return linesOf((await open(copy)).createReadStream(), file);
  } catch (error) {
    throw fileError(error, file);
  } finally {
    // An open file stays readable until it is closed.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function* readChunks(input: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* input;
  } catch (error) {
    throw fileError(error, file);
  }
}

async function* linesOf(input: AsyncIterable<Buffer>, file: string): AsyncGenerator<string> {
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
  for await (const chunk of input) {
    read(chunk);
    const end = chunk.lastIndexOf("\n");
    rest = end < 0 ? rest + chunk.length : chunk.length - end - 1;
    yield* lines;
    number += lines.length;
    lines = [];
    // The line may have no end.
    if (rest > maxLineBytes) tooLarge();
  }
  if (rest > 0) read(Buffer.from("\n"));
  yield* lines;
}
