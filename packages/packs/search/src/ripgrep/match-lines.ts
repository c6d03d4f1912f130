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

const lineBreak = 10;
/** Maximum length of a line that is shown whole, in bytes. */
const maxLineBytes = 400;
/** How many bytes of a longer line are shown, and how many of them before the match. */
const shownBytes = 240;
const shownBefore = 80;
/** Maximum length of a message of ripgrep in bytes. It holds a line and the positions of all its matches. A longer one is left out. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Parses the output of `--json`, and yields one array for each chunk. https://docs.rs/grep-printer/latest/grep_printer/struct.JSON.html */
export async function* matchLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly MatchLine[]> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines: MatchLine[] = [];
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(lineBreak, at);
      const part = chunk.subarray(at, end === -1 ? chunk.length : end);
      length += part.length;
      if (length <= maxMessageBytes) parts.push(part);
      if (end === -1) break;
      if (length <= maxMessageBytes) lines.push(...linesOf(JSON.parse(Buffer.concat(parts).toString()) as Message));
      [parts, length, at] = [[], 0, end + 1];
    }
    yield lines;
  }
}

/** Text, or bytes in base64 where they are not UTF-8. */
type Text = { readonly text: string } | { readonly bytes: string };

type Message =
  | { readonly type: "match" | "context"; readonly data: Lines }
  | { readonly type: "end"; readonly data: { readonly path: Text; readonly binary_offset: number | null } }
  | { readonly type: "begin" | "summary" };

interface Lines {
  readonly path: Text;
  /** One line, or several of a match over lines. */
  readonly lines: Text;
  readonly line_number: number;
  readonly absolute_offset: number;
  /** Positions in bytes of `lines`. */
  readonly submatches: readonly { readonly start: number; readonly end: number }[];
}

function linesOf(message: Message): readonly MatchLine[] {
  if (message.type === "end") {
    const { path, binary_offset: binary } = message.data;
    const note = { line: 0, text: "", bytes: Buffer.alloc(0), offset: 0, isMatch: false, isBinary: true } as const;
    return binary === null ? [] : [{ path: bytesOf(path).toString(), ...note }];
  }
  if (message.type !== "match" && message.type !== "context") return [];
  const { lines, line_number: first, absolute_offset: offset, submatches } = message.data;
  const path = bytesOf(message.data.path).toString();
  const bytes = bytesOf(lines);
  const found: MatchLine[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(lineBreak, at);
    const line = bytes.subarray(at, end === -1 ? bytes.length : end);
    const match = submatches.find((one) => one.end > at)?.start ?? 0;
    const shown = cutAround(line, Math.max(0, match - at));
    const place = { path, line: first + found.length, isMatch: message.type === "match" };
    found.push({ ...place, text: shown.text, bytes: shown.bytes, offset: offset + at + shown.from });
    at += line.length + 1;
  }
  return found;
}

function bytesOf(text: Text): Buffer {
  return "text" in text ? Buffer.from(text.text) : Buffer.from(text.bytes, "base64");
}

/** Cuts a long line around a match, marks the cuts, and removes partial characters at them. */
function cutAround(line: Buffer, match: number) {
  if (line.length <= maxLineBytes) return { text: line.toString().replace(/\r$/, ""), bytes: line, from: 0 };
  const from = Math.max(0, match - shownBefore);
  const bytes = line.subarray(from, from + shownBytes);
  let text = bytes.toString();
  if (from > 0) text = `…${text.replace(/^\uFFFD{1,3}/, "")}`;
  if (from + shownBytes < line.length) text = `${text.replace(/\uFFFD$/, "")}…`;
  return { text, bytes, from };
}
