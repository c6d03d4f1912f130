import { setImmediate } from "node:timers/promises";
import type { HandleRange, Span } from "../handle.ts";
import type { ByteRange } from "@toolpacks/store";
import type { OpenValue } from "./open-value.ts";

const newline = 10;

/** The start (inclusive) and end (exclusive) of a span in `total` items, numbered from 0. */
export function clipSpan({ start, count = Infinity }: Span, total: number): { start: number; end: number } {
  const from = Math.min(start < 0 ? Math.max(0, total + start) : start, total);
  return { start: from, end: Math.min(from + Math.max(0, count), total) };
}

interface CountedValue extends OpenValue {
  /** Called with the number of bytes of each chunk before it is searched. */
  readonly onRead?: (bytes: number) => void;
}

export type TextRange = Exclude<HandleRange, { readonly unit: "json" }>;

/** The byte range of a handle's range. */
export async function spanBytes(value: CountedValue, { unit, span }: TextRange): Promise<Required<ByteRange>> {
  if (unit === "bytes") return clipSpan(span, value.info.size);
  if (unit === "chars") return characterBytes(value, span);
  return lineBytes(value, span.start > 0 ? { ...span, start: span.start - 1 } : span);
}

/** The byte range of characters, numbered from 0. Nothing is read when every character is one byte. */
export async function characterBytes(value: CountedValue, span: Span): Promise<Required<ByteRange>> {
  const { characters, size } = value.info;
  const place = clipSpan(span, characters);
  return characters === size ? place : find(value, place, countCharacters);
}

/** The byte range of lines, numbered from 0, with their line breaks. */
export async function lineBytes(value: CountedValue, span: Span): Promise<Required<ByteRange>> {
  return find(value, clipSpan(span, value.info.lines), countLines);
}

/** Counts the items that begin in `bytes`, up to `wanted`. `at` is the byte where that many have begun, if they have. */
type Count = (bytes: Buffer, wanted: number) => { readonly counted: number; readonly at: number | undefined };

/** Reads the value in chunks until the last item of the span. */
async function find(
  { values, info, signal, onRead }: CountedValue,
  { start, end }: { readonly start: number; readonly end: number },
  count: Count,
): Promise<Required<ByteRange>> {
  if (start === end) return { start: info.size, end: info.size };
  let from = start === 0 ? 0 : undefined;
  let passed = 0;
  let items = 0;
  for await (const chunk of values.read(info.id)) {
    signal?.throwIfAborted();
    onRead?.(chunk.length);
    // A store may read without yielding to the event loop.
    await setImmediate();
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let at = 0;
    for (const wanted of from === undefined ? [start, end] : [end]) {
      const found = count(bytes.subarray(at), wanted - items);
      items += found.counted;
      if (found.at === undefined) break;
      at += found.at;
      if (wanted === end) return { start: from ?? passed + at, end: passed + at };
      from = passed + at;
    }
    passed += bytes.length;
  }
  return { start: from ?? info.size, end: info.size };
}

/** A line ends after its line break. */
const countLines: Count = (bytes, wanted) => {
  let at = 0;
  for (let counted = 0; counted < wanted; counted += 1) {
    const to = bytes.indexOf(newline, at);
    if (to < 0) return { counted, at: undefined };
    at = to + 1;
  }
  return { counted: wanted, at };
};

/** A character begins at every byte except UTF-8 continuation bytes. */
const countCharacters: Count = (bytes, wanted) => {
  let counted = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    if (((bytes[at] ?? 0) & 0xc0) === 0x80) continue;
    counted += 1;
    if (counted === wanted) return { counted, at };
  }
  return { counted: counted + 1, at: undefined };
};
