import type { RelayReadRequest } from "../relay-read.ts";
import { characterBytes, clipSpan, lineBytes } from "./byte-range.ts";
import { grep } from "./grep.ts";
import { rangeBytes, wholeCharacters, type OpenValue } from "./open-value.ts";
import { pick } from "./pick.ts";

type Request = Pick<RelayReadRequest, "start" | "count" | "window">;
type PatternRequest = Request & { readonly pattern: string };

export function readLength({ info }: OpenValue): string {
  const { mimeType, size, characters, lines, text } = info;
  return text ? `${mimeType}, ${size} bytes, ${characters} characters, ${lines} lines` : `${mimeType}, ${size} bytes`;
}

/** Reads characters, numbered from 0. */
export async function readSlice(value: OpenValue, { start = 0, count }: Request, page: number): Promise<string> {
  const { characters } = value.info;
  const asked = clipSpan({ start, count }, characters);
  const place = await characterBytes(value, { start: asked.start, count: Math.min(asked.end - asked.start, page) });
  const text = wholeCharacters(
    await rangeBytes(value, { start: place.start, end: Math.min(place.end, place.start + page) }),
  );
  const shown = text.toString("utf8");
  const end = asked.start + countCharacters(text);
  if (asked.start === 0 && end === characters) return shown;
  return `${shown}\n[characters ${asked.start} to ${end} of ${characters}${goesOn(end, asked.end)}]`;
}

/** Reads bytes as base64, numbered from 0. */
export async function readBytes(value: OpenValue, { start = 0, count }: Request, page: number): Promise<string> {
  const { size } = value.info;
  const asked = clipSpan({ start, count }, size);
  // Cuts at a multiple of three bytes, so that the base64 pieces can be joined.
  const end = Math.min(asked.end, asked.start + Math.max(3, Math.floor(page / 4) * 3));
  const bytes = await rangeBytes(value, { start: asked.start, end });
  return `${bytes.toString("base64")}\n[bytes ${asked.start} to ${end} of ${size} in base64${goesOn(end, asked.end)}]`;
}

/** Reads whole lines, numbered from 1. A line that is longer than a page is cut. */
export async function readLines(value: OpenValue, { start = 1, count }: Request, page: number): Promise<string> {
  const { lines } = value.info;
  const asked = clipSpan({ start: start > 0 ? start - 1 : start, count }, lines);
  const place = await lineBytes(value, { start: asked.start, count: Math.min(asked.end - asked.start, page) });
  const bytes = await rangeBytes(value, { start: place.start, end: Math.min(place.end, place.start + page) });
  const isCut = place.end > place.start + page;
  const whole = isCut ? bytes.subarray(0, bytes.lastIndexOf("\n") + 1) : bytes;
  if (isCut && whole.length === 0) {
    const text = wholeCharacters(bytes).toString("utf8");
    return `${text}\n[line ${asked.start + 1} of ${lines} is longer than a page: read it with slice or pick]`;
  }
  const text = whole.toString("utf8").replace(/\r?\n$/, "");
  const end =
    asked.start + whole.filter((byte) => byte === 10).length + (whole.length > 0 && whole.at(-1) !== 10 ? 1 : 0);
  if (asked.start === 0 && end === lines) return text;
  if (end === asked.start) return `[no such line: there are ${lines}]`;
  return `${text}\n[lines ${asked.start + 1} to ${end} of ${lines}${end < asked.end ? `; next: start ${end + 1}` : ""}]`;
}

const defaultMatches = 50;
const maxMatches = 1_000;

export async function readMatches(value: OpenValue, request: PatternRequest, page: number): Promise<string> {
  const { pattern, start = 0, count = defaultMatches, window = 0 } = request;
  const skip = Math.max(0, start);
  const limit = Math.min(count, maxMatches);
  const found = await grep(value, { pattern, skip, limit, window, room: page });
  const next = `start ${skip + found.shown}`;
  const shown = `${found.shown} match${found.shown === 1 ? "" : "es"}`;
  if (found.more === "time") return `${found.text}\n[stopped after 10 s; ${shown} until then]`.trimStart();
  if (found.more === "matches") return `${found.text}\n[${shown}; there are more: ${next}]`.trimStart();
  return found.shown === 0 ? `[no${skip > 0 ? " more" : ""} match]` : found.text;
}

/** Reads JSON values, one per line. A single text is shown as it is. */
export async function readPicked(value: OpenValue, request: PatternRequest, page: number): Promise<string> {
  const { pattern, start = 0, count } = request;
  const { values, isSingular } = await pick(value, pattern);
  if (values.length === 0) return "[nothing matches]";
  if (isSingular) return pieceOf(values[0], { start, count }, page);
  const asked = clipSpan({ start, count }, values.length);
  const lines: string[] = [];
  let left = page;
  for (const one of values.slice(asked.start, asked.end)) {
    const line = JSON.stringify(one);
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const end = asked.start + lines.length;
  if (lines.length === 0 && asked.start < asked.end) {
    const next = goesOn(asked.start + 1, asked.end);
    return `[value ${asked.start} of ${values.length} is larger than a page: pick a part of it${next}]`;
  }
  if (asked.start === 0 && end === values.length) return lines.join("\n");
  return [...lines, `[values ${asked.start} to ${end} of ${values.length}${goesOn(end, asked.end)}]`].join("\n");
}

function pieceOf(
  value: unknown,
  { start = 0, count }: { start?: number; count?: number | undefined },
  page: number,
): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const asked = clipSpan({ start, count }, text.length);
  let end = Math.min(asked.end, asked.start + page);
  while (end > asked.start + 1 && Buffer.byteLength(text.slice(asked.start, end)) > page) {
    end = asked.start + Math.floor((end - asked.start) / 2);
  }
  if (end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff) end -= 1;
  const piece = text.slice(asked.start, end);
  if (asked.start === 0 && end === text.length) return piece;
  return `${piece}\n[characters ${asked.start} to ${end} of ${text.length}${goesOn(end, asked.end)}]`;
}

function goesOn(end: number, asked: number): string {
  return end < asked ? `; next: start ${end}` : "";
}

function countCharacters(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1;
  return count;
}
