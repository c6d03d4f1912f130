import { clip } from "@toolpacks/core";
import type { CaptureGroups } from "./capture-groups.ts";

/** A matching line, the lines of a match over lines, or a context line. With capture groups, each match of a line is one. */
export interface MatchLine {
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
  /** The line without its end, or several with line breaks between. A long line is cut around the match. */
  readonly text: string;
  readonly groups?: Readonly<Record<string, string>>;
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

/** Maximum length of the text of a match over lines in characters, and maximum number of matches of a line with capture groups. */
const maxTextCharacters = 20_000;
const maxMatches = 100;

/** Parses the output of `--json`, with `--replace` for capture groups, and yields one array for each chunk. https://docs.rs/grep-printer/latest/grep_printer/struct.JSON.html */
export async function* matchLines(
  chunks: AsyncIterable<Buffer>,
  groups?: CaptureGroups,
): AsyncGenerator<readonly MatchLine[]> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines: (readonly MatchLine[])[] = [];
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(lineBreak, at);
      const part = chunk.subarray(at, end === -1 ? chunk.length : end);
      length += part.length;
      if (length <= maxMessageBytes) parts.push(part);
      if (end === -1) break;
      if (length <= maxMessageBytes)
        lines.push(linesOf(JSON.parse(Buffer.concat(parts).toString()) as Message, groups));
      [parts, length, at] = [[], 0, end + 1];
    }
    yield lines.flat();
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
  readonly submatches: readonly { readonly start: number; readonly replacement?: Text }[];
}

function linesOf(message: Message, groups: CaptureGroups | undefined): readonly MatchLine[] {
  if (message.type === "end") {
    const { path, binary_offset: binary } = message.data;
    const note = { line: 0, text: "", bytes: Buffer.alloc(0), offset: 0, isMatch: false, isBinary: true } as const;
    return binary === null ? [] : [{ path: bytesOf(path).toString(), ...note }];
  }
  if (message.type !== "match" && message.type !== "context") return [];
  const { lines, line_number: first, absolute_offset: offset, submatches } = message.data;
  const path = bytesOf(message.data.path).toString();
  const bytes = bytesOf(lines);
  const isMatch = message.type === "match";
  const found: MatchLine[] = [];
  let [next, line, from] = [0, first, 0];
  for (let at = 0; at < bytes.length; line += 1) {
    const lineBreakAt = bytes.indexOf(lineBreak, at);
    const end = lineBreakAt === -1 ? bytes.length : lineBreakAt;
    const content = bytes.subarray(at, end);
    const begin = next;
    while ((submatches[next]?.start ?? Number.POSITIVE_INFINITY) <= end) next += 1;
    const last = found.at(-1);
    if (isMatch && last !== undefined && next === begin) {
      const isLong = last.text.length > maxTextCharacters;
      const text = isLong ? last.text : clip(`${last.text}\n${cutAround(content, 0).text}`, maxTextCharacters);
      found[found.length - 1] = { ...last, text, bytes: bytes.subarray(from, end), offset: offset + from };
    } else {
      from = at;
      const matches = submatches.slice(begin, groups === undefined ? begin + 1 : Math.min(next, begin + maxMatches));
      for (const match of next === begin ? [undefined] : matches) {
        const shown = cutAround(content, (match?.start ?? at) - at);
        const values = match?.replacement && groups?.valuesOf(bytesOf(match.replacement).toString());
        const place = { path, line, isMatch, offset: offset + at + shown.from };
        found.push({ ...place, text: shown.text, bytes: shown.bytes, ...(values && { groups: values }) });
      }
    }
    at = end + 1;
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
