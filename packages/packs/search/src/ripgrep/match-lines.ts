import { lstatSync } from "node:fs";

/** A matching line, or a context line of a match. */
export interface MatchLine {
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
  /** The line without its end. A long line is cut around the match. */
  readonly text: string;
  /** The bytes of `text`, and their offset in the file, in UTF-8 and without a byte order mark. */
  readonly bytes: Buffer;
  readonly offset: number;
  readonly isMatch: boolean;
  /** Present if this is not a line, but the note that the file is binary. Earlier lines of the file are to be removed. */
  readonly isBinary?: true;
}

/** The arguments for the format that `matchLines` reads: `path NUL line SOH column SOH offset SOH text`, and for context lines
 * `path NUL line STX offset STX text`. */
export const matchLineArguments = [
  "--with-filename",
  "--null",
  "--no-heading",
  "--line-number",
  "--column",
  "--byte-offset",
  "--no-context-separator",
  "--field-match-separator=\\x01",
  "--field-context-separator=\\x02",
  "--color=never",
];

/** ripgrep's note, after the file's name and without NUL, if it finds a NUL in the file after a match. */
const binaryNote = ": WARNING: stopped searching binary file after match (found ";

const matchMark = 1;
const lineBreak = 10;
/** Maximum length of a line that is shown whole, in bytes. */
const maxLineBytes = 400;
/** How many bytes of a longer line are shown, and how many of them before the match. */
const shownBytes = 240;
const shownBefore = 80;
/** Maximum buffer for a line. Of a longer line, only the shown part is kept. */
const maxQueued = 64 * 1024;

/**
 * Parses lines of any length, and yields one array for each chunk.
 *
 * @param cwd ripgrep's working directory
 */
export async function* matchLines(chunks: AsyncIterable<Buffer>, cwd: string): AsyncGenerator<readonly MatchLine[]> {
  const parser = createParser(cwd);
  for await (const chunk of chunks) yield parser.push(chunk);
  yield parser.end();
}

interface Header {
  readonly path: string;
  readonly line: number;
  /** Byte position of the first match in the line, from 0; undefined for a context line. */
  readonly column: number | undefined;
  /** Byte position of the line in the file. */
  readonly offset: number;
  /** Length of the header in bytes. */
  readonly length: number;
}

function createParser(cwd: string) {
  let buffered: Buffer = Buffer.alloc(0);
  let long: LongLine | undefined;
  /** The path of the last line, and the beginning of a note about this file. */
  let current = "";
  let note: Buffer | undefined;
  /** The lines of the current chunk. */
  let lines: MatchLine[] = [];

  const takeNote = (): readonly MatchLine[] => {
    const length = noteLength(buffered, note, cwd);
    if (length === 0) return [];
    buffered = buffered.subarray(length);
    return [{ path: current, line: 0, text: "", bytes: Buffer.alloc(0), offset: 0, isMatch: false, isBinary: true }];
  };
  const take = (part: Buffer) => {
    if (long !== undefined) return long.add(part);
    buffered = buffered.length === 0 ? part : Buffer.concat([buffered, part]);
    if (buffered.length <= maxQueued || !buffered.includes(0)) return;
    lines.push(...takeNote());
    const header = parseHeader(buffered);
    if (header === undefined) return;
    long = createLongLine(header);
    long.add(buffered.subarray(header.length));
    buffered = Buffer.alloc(0);
  };
  const finish = (): MatchLine | undefined => {
    if (long !== undefined) {
      const line = long.finish();
      long = undefined;
      return line;
    }
    if (buffered.includes(0)) lines.push(...takeNote());
    const header = parseHeader(buffered);
    if (header === undefined) {
      // A line break in a file's name, or ripgrep's note that a file is binary.
      buffered = Buffer.concat([buffered, Buffer.from([lineBreak])]);
      return undefined;
    }
    const line = createLongLine(header);
    line.add(buffered.subarray(header.length));
    buffered = Buffer.alloc(0);
    return line.finish();
  };

  return {
    push(chunk: Buffer): readonly MatchLine[] {
      lines = [];
      for (let at = 0; at < chunk.length;) {
        const end = chunk.indexOf(lineBreak, at);
        take(chunk.subarray(at, end === -1 ? chunk.length : end));
        if (end === -1) break;
        const line = finish();
        if (line !== undefined) {
          lines.push(line);
          if (line.path !== current) note = Buffer.from(line.path + binaryNote);
          current = line.path;
        }
        at = end + 1;
      }
      return lines;
    },
    end: takeNote,
  };
}

/** The length of the note at the start of the buffer. The name of the next file may look like the note, and go on after a line break. */
function noteLength(buffered: Buffer, note: Buffer | undefined, cwd: string): number {
  if (note === undefined || !buffered.subarray(0, note.length).equals(note)) return 0;
  const nul = buffered.indexOf(0);
  const isName = nul !== -1 && exists(cwd, buffered.subarray(0, nul));
  return isName ? 0 : buffered.indexOf(lineBreak, note.length) + 1;
}

function exists(directory: string, name: Buffer): boolean {
  try {
    lstatSync(Buffer.concat([Buffer.from(`${directory}/`), name]));
    return true;
  } catch {
    return false;
  }
}

function parseHeader(bytes: Buffer): Header | undefined {
  const nul = bytes.indexOf(0);
  if (nul === -1) return undefined;
  const path = bytes.toString("utf8", 0, nul);
  const line = readNumber(bytes, nul + 1);
  const column = bytes[line.end] === matchMark ? readNumber(bytes, line.end + 1) : undefined;
  const offset = readNumber(bytes, (column ?? line).end + 1);
  return {
    path,
    line: line.value,
    column: column && column.value - 1,
    offset: offset.value,
    length: offset.end + 1,
  };
}

function readNumber(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let end = start;
  for (let digit = bytes[end]; digit !== undefined && digit >= 48 && digit <= 57; digit = bytes[end]) {
    value = value * 10 + digit - 48;
    end += 1;
  }
  return { value, end };
}

interface LongLine {
  add(part: Buffer): void;
  finish(): MatchLine;
}

/** Keeps the start of a line and the part around its match, and drops the rest. */
function createLongLine({ path, line, column, offset }: Header): LongLine {
  const from = Math.max(0, (column ?? 0) - shownBefore);
  const start: Buffer[] = [];
  const around: Buffer[] = [];
  let length = 0;
  return {
    add(part) {
      keep(start, part, { from: -length, to: maxLineBytes - length });
      keep(around, part, { from: from - length, to: from + shownBytes - length });
      length += part.length;
    },
    finish() {
      const isMatch = column !== undefined;
      if (length <= maxLineBytes) {
        const bytes = Buffer.concat(start);
        return { path, line, text: bytes.toString().replace(/\r$/, ""), bytes, offset, isMatch };
      }
      const bytes = Buffer.concat(around);
      const text = shorten(bytes, { before: from > 0, after: from + shownBytes < length });
      return { path, line, text, bytes, offset: offset + from, isMatch };
    },
  };
}

function keep(kept: Buffer[], part: Buffer, { from, to }: { readonly from: number; readonly to: number }): void {
  const piece = part.subarray(Math.max(0, from), Math.max(0, to));
  if (piece.length > 0) kept.push(piece);
}

/** Marks the cuts of a line, and removes partial characters at the cuts. */
function shorten(bytes: Buffer, cut: { readonly before: boolean; readonly after: boolean }): string {
  let text = bytes.toString();
  if (cut.before) text = `…${text.replace(/^\uFFFD{1,3}/, "")}`;
  return cut.after ? `${text.replace(/\uFFFD$/, "")}…` : text;
}
