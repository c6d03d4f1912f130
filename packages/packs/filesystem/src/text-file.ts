import type { FileHandle } from "node:fs/promises";
import { splitLines, ToolError, quoteName } from "@toolpacks/core";

/** The encoding of a text file, which a rewrite keeps. */
export interface TextFormat {
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
  readonly bom: boolean;
}

/** The text of a file, without its byte order mark. Line ends are unchanged. */
export interface TextFile extends TextFormat {
  readonly text: string;
}

const marks = {
  "utf-8": Buffer.from([0xef, 0xbb, 0xbf]),
  "utf-16le": Buffer.from([0xff, 0xfe]),
  "utf-16be": Buffer.from([0xfe, 0xff]),
} as const;

const utf8: TextFormat = { encoding: "utf-8", bom: false };

/** Maximum size of a file to edit. An edit reads the whole file. */
export const maxEditedBytes = 16 * 1024 * 1024;

/** Detects a file's format from its first bytes. UTF-16 is detected by its byte order mark only. */
export function detectFormat(bytes: Buffer): TextFormat {
  for (const encoding of ["utf-8", "utf-16le", "utf-16be"] as const) {
    if (bytes.subarray(0, marks[encoding].length).equals(marks[encoding])) return { encoding, bom: true };
  }
  return utf8;
}

/**
 * Decodes a file's bytes. Undefined if they are not text: they contain NUL characters, or bytes that the encoding does not allow. Invalid bytes are
 * never replaced.
 */
export function decodeText(bytes: Buffer): TextFile | undefined {
  const format = detectFormat(bytes);
  const body = format.bom ? bytes.subarray(marks[format.encoding].length) : bytes;
  try {
    const text = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true }).decode(body);
    return text.includes("\0") ? undefined : { ...format, text };
  } catch {
    return undefined;
  }
}

/**
 * Encodes a text in a file's format.
 *
 * @throws ToolError `invalid_input` for half a surrogate pair, which cannot be encoded
 */
export function encodeText(text: string, { encoding, bom }: TextFormat): Buffer {
  if (!text.isWellFormed()) {
    throw new ToolError("invalid_input", "content: expected well-formed text, received half of a surrogate pair");
  }
  const body = encoding === "utf-8" ? Buffer.from(text, "utf8") : Buffer.from(text, "utf16le");
  const ordered = encoding === "utf-16be" ? body.swap16() : body;
  return bom ? Buffer.concat([marks[encoding], ordered]) : ordered;
}

/** Detects the MIME type of a binary file; undefined if it is unknown. */
export async function detectType(bytes: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import("file-type");
  return (await fileTypeFromBuffer(bytes))?.mime;
}

/** Creates the error for a file that is not text. */
export async function notText(shown: string, bytes: Buffer): Promise<ToolError> {
  const type = await detectType(bytes);
  const what = type === undefined ? "binary, or text in an encoding other than UTF-8 and UTF-16" : `binary (${type})`;
  return new ToolError("invalid_input", `${quoteName(shown)}: expected a text file, this is ${what}`);
}

export interface LineRange {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  readonly tail?: number | undefined;
}

/** Lines of a file, limited to the size of one result. */
export interface TextSlice {
  readonly text: string;
  /** Line numbers and `totalLines` are absent for the end of a file that is too large to count. */
  readonly startLine?: number;
  readonly endLine?: number;
  readonly totalLines?: number;
  readonly more: boolean;
}

interface ReadTextOptions {
  readonly file: FileHandle;
  readonly size: number;
  readonly shown: string;
  readonly range: LineRange;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Maximum size of a file that is read whole. Of a larger file, only the wanted lines are kept in memory. */
const maxWholeBytes = 16 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

/**
 * Reads lines of a text file.
 *
 * @throws ToolError `invalid_input` for a binary file, or a range that is not in the file
 */
export async function readText(options: ReadTextOptions): Promise<TextSlice> {
  const { startLine = 1, endLine, tail } = options.range;
  if (tail !== undefined && (options.range.startLine !== undefined || endLine !== undefined)) {
    throw new ToolError("invalid_input", "tail: give either tail or startLine and endLine");
  }
  if (endLine !== undefined && endLine < startLine) {
    throw new ToolError("invalid_input", `endLine: expected at least startLine (${startLine}), received ${endLine}`);
  }
  if (options.size > maxWholeBytes) return tail === undefined ? scan(options, startLine) : readEnd(options, tail);
  const bytes = Buffer.alloc(options.size);
  const { bytesRead } = await options.file.read(bytes, 0, options.size, 0);
  const decoded = decodeText(bytes.subarray(0, bytesRead));
  if (decoded === undefined) throw await notText(options.shown, bytes);
  const lines = splitLines(decoded.text);
  const from = tail === undefined ? startLine : Math.max(1, lines.length - tail + 1);
  if (from > Math.max(1, lines.length)) {
    throw new ToolError(
      "invalid_input",
      `startLine: ${quoteName(options.shown)} has ${lines.length} lines, received ${from}`,
    );
  }
  const wanted = lines.slice(from - 1, tail === undefined ? endLine : undefined);
  const kept = fit(wanted, options);
  return {
    text: kept.join(""),
    startLine: from,
    endLine: from + kept.length - 1,
    totalLines: lines.length,
    more: kept.length < wanted.length,
  };
}

/** Returns as many lines as fit into one result. */
function fit(lines: readonly string[], { maxBytes, shown }: ReadTextOptions): readonly string[] {
  let bytes = 0;
  for (const [at, line] of lines.entries()) {
    bytes += Buffer.byteLength(line);
    if (bytes <= maxBytes) continue;
    if (at > 0) return lines.slice(0, at);
    throw new ToolError(
      "too_large",
      `${quoteName(shown)}: one line has over ${maxBytes} bytes, the maximum of one read`,
    );
  }
  return lines;
}

/** Reads a large file from its start, and keeps only the wanted lines in memory. */
async function scan(options: ReadTextOptions, startLine: number): Promise<TextSlice> {
  const { file, size, shown, range, maxBytes, signal } = options;
  const last = range.endLine ?? Number.POSITIVE_INFINITY;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const kept: string[] = [];
  let keptBytes = 0;
  let line = 1;
  let rest = "";
  for (let position = 0; position < size; position += chunkBytes) {
    signal.throwIfAborted();
    const chunk = await readChunk(file, position, Math.min(chunkBytes, size - position));
    const stream = position + chunkBytes < size;
    const lines = splitLines(rest + (await decode(decoder, chunk, { shown, stream })));
    const isCut = stream && lines.at(-1)?.endsWith("\n") === false;
    rest = isCut ? (lines.at(-1) ?? "") : "";
    for (const text of isCut ? lines.slice(0, -1) : lines) {
      const wanted = line >= startLine;
      if (line > last || (wanted && keptBytes + Buffer.byteLength(text) > maxBytes)) {
        if (kept.length === 0) fit([text], options);
        return { text: kept.join(""), startLine, endLine: startLine + kept.length - 1, more: true };
      }
      if (wanted) {
        kept.push(text);
        keptBytes += Buffer.byteLength(text);
      }
      line += 1;
    }
    // For an unwanted line, one character is enough to know that it continues.
    if (line < startLine) rest = rest.slice(0, 1);
    else if (rest.length > maxBytes)
      throw new ToolError("too_large", `${quoteName(shown)}: line ${line} is longer than one read answers`);
  }
  if (startLine >= line)
    throw new ToolError("invalid_input", `startLine: ${quoteName(shown)} has ${line - 1} lines, received ${startLine}`);
  return { text: kept.join(""), startLine, endLine: startLine + kept.length - 1, totalLines: line - 1, more: false };
}

/** Reads the last lines of a large file from its last bytes only, so their line numbers are unknown. */
async function readEnd({ file, size, shown, maxBytes }: ReadTextOptions, tail: number): Promise<TextSlice> {
  const start = Math.max(0, size - maxBytes);
  const bytes = await readChunk(file, start, size - start);
  const firstEnd = bytes.indexOf(0x0a);
  if (firstEnd < 0)
    throw new ToolError("too_large", `${quoteName(shown)}: the last line is longer than one read answers`);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const lines = splitLines(await decode(decoder, bytes.subarray(firstEnd + 1), { shown, stream: false }));
  const kept = lines.slice(-tail);
  return { text: kept.join(""), more: kept.length < tail };
}

async function readChunk(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

interface Decoding {
  readonly shown: string;
  /** Whether more bytes follow. Then these bytes may end inside a character. */
  readonly stream: boolean;
}

async function decode(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Buffer,
  { shown, stream }: Decoding,
): Promise<string> {
  try {
    const text = decoder.decode(bytes, { stream });
    if (!text.includes("\0")) return text;
  } catch {
    // Not UTF-8; the failure below says so.
  }
  if (detectFormat(bytes).encoding !== "utf-8") {
    throw new ToolError("too_large", `${quoteName(shown)}: UTF-16 files are read up to ${maxWholeBytes} bytes`);
  }
  throw await notText(shown, bytes);
}
