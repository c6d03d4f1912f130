/** A line that matches, or stands near one that does. */
export interface MatchLine {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Without its end, cut around the match where it is long. */
  readonly text: string;
  /** The bytes of which `text` was made, and where in the file, in UTF-8 and without a byte order mark, they stand. */
  readonly bytes: Buffer;
  readonly offset: number;
  readonly isMatch: boolean;
  /** Present where this is no line, but the news that the file is binary, though the lines before it were found in it. */
  readonly isBinary?: true;
}

/** What `matchLines` reads: `path NUL line SOH column SOH offset SOH text` and, for lines around a match,
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

/** What ripgrep writes behind a file's name, without NUL, when it meets a NUL in the file after a match. */
const binaryNote = ": WARNING: stopped searching binary file after match (found ";

const matchMark = 1;
const lineBreak = 10;
/** A line of more bytes is shown in part. */
const longLine = 400;
/** How many of its bytes are shown, and how many of those before the match. */
const shownBytes = 240;
const shownBefore = 80;
/** Beyond this, only the part of a line that is shown is held. */
const maxQueued = 64 * 1024;

/** Reads lines as they come, one array for each chunk. A line may be of any length. */
export async function* matchLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly MatchLine[]> {
  const parser = createParser();
  for await (const chunk of chunks) yield parser.push(chunk);
}

interface Header {
  readonly path: string;
  readonly line: number;
  /** Byte of the first match, from 0; undefined for a line around one. */
  readonly column: number | undefined;
  /** Byte of the file at which the line begins. */
  readonly offset: number;
  /** Where the text starts. */
  readonly length: number;
}

function createParser() {
  let held: Buffer = Buffer.alloc(0);
  let long: LongLine | undefined;
  /** The file of the last line, and how a note about it begins. */
  let current = "";
  let note: Buffer | undefined;

  const take = (part: Buffer) => {
    if (long !== undefined) return long.add(part);
    held = held.length === 0 ? part : Buffer.concat([held, part]);
    if (held.length <= maxQueued) return;
    const header = parseHeader(held);
    if (header === undefined) return;
    long = createLongLine(header);
    long.add(held.subarray(header.length));
    held = Buffer.alloc(0);
  };
  const finish = (): MatchLine | undefined => {
    if (long !== undefined) {
      const line = long.finish();
      long = undefined;
      return line;
    }
    if (note !== undefined && held.subarray(0, note.length).equals(note)) {
      held = Buffer.alloc(0);
      return { path: current, line: 0, text: "", bytes: held, offset: 0, isMatch: false, isBinary: true };
    }
    const header = parseHeader(held);
    if (header === undefined) {
      // A line break in a file's name, or ripgrep's note that the one file it was given is binary.
      held = Buffer.concat([held, Buffer.from([lineBreak])]);
      return undefined;
    }
    const line = createLongLine(header);
    line.add(held.subarray(header.length));
    held = Buffer.alloc(0);
    return line.finish();
  };

  return {
    push(chunk: Buffer): readonly MatchLine[] {
      const lines: MatchLine[] = [];
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
  };
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

/** Keeps the start of a line, and the part around its match, and forgets the rest. */
function createLongLine({ path, line, column, offset }: Header): LongLine {
  const from = Math.max(0, (column ?? 0) - shownBefore);
  const start: Buffer[] = [];
  const around: Buffer[] = [];
  let length = 0;
  return {
    add(part) {
      keep(start, part, { from: -length, to: longLine - length });
      keep(around, part, { from: from - length, to: from + shownBytes - length });
      length += part.length;
    },
    finish() {
      const isMatch = column !== undefined;
      if (length <= longLine) {
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

/** Marks where a line was cut, without the halves of characters that a cut leaves. */
function shorten(bytes: Buffer, cut: { readonly before: boolean; readonly after: boolean }): string {
  let text = bytes.toString();
  if (cut.before) text = `…${text.replace(/^\uFFFD{1,3}/, "")}`;
  return cut.after ? `${text.replace(/\uFFFD$/, "")}…` : text;
}
