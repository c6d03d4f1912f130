import type { Span } from "../handle.ts";
import type { ByteRange, RelayValueInfo, RelayValues } from "../values/relay-values.ts";

/** What reading needs to know of a value. */
export interface OpenValue {
  readonly values: RelayValues;
  readonly info: RelayValueInfo;
  readonly signal?: AbortSignal;
}

const newline = 10;

/** A span within so many items numbered from 0: where it begins, and where it ends, not included. */
export function clipSpan({ start, count = Infinity }: Span, total: number): { start: number; end: number } {
  const from = Math.min(start < 0 ? Math.max(0, total + start) : start, total);
  return { start: from, end: Math.min(from + Math.max(0, count), total) };
}

/** Where characters of a text lie, numbered from 0. Nothing is read where every character is one byte. */
export async function characterBytes(value: OpenValue, span: Span): Promise<Required<ByteRange>> {
  const { characters, size } = value.info;
  const { start, end } = clipSpan(span, characters);
  if (characters === size) return { start, end };
  return find(value, { start, end }, (byte) => (byte & 0xc0) !== 0x80);
}

/** Where lines of a text lie, numbered from 0, with the newline behind each. */
export async function lineBytes(value: OpenValue, span: Span): Promise<Required<ByteRange>> {
  const { start, end } = clipSpan(span, value.info.lines);
  let before = newline;
  return find(value, { start, end }, (byte) => {
    const begins = before === newline;
    before = byte;
    return begins;
  });
}

/** Reads from the beginning, piece by piece, until it has met the last item. */
async function find(
  { values, info, signal }: OpenValue,
  { start, end }: { readonly start: number; readonly end: number },
  begins: (byte: number) => boolean,
): Promise<Required<ByteRange>> {
  if (start === end) return { start: info.size, end: info.size };
  let items = -1;
  let at = 0;
  let from = info.size;
  for await (const chunk of values.read(info.id)) {
    signal?.throwIfAborted();
    for (const byte of chunk) {
      if (begins(byte)) {
        items += 1;
        if (items === start) from = at;
        if (items === end) return { start: from, end: at };
      }
      at += 1;
    }
  }
  return { start: from, end: info.size };
}
