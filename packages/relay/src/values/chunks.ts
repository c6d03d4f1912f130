import type { ByteRange, RelayValueInput } from "./relay-values.ts";

/** The bytes of a text or a buffer. Undefined for a stream. */
export function wholeBytes(data: RelayValueInput["data"]): Uint8Array | undefined {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return data instanceof Uint8Array ? data : undefined;
}

/** Splits a stream into pieces of one size. The last piece may be shorter. */
export async function* piecesOf(
  data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of data) {
    held.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    const all = Buffer.concat(held);
    let at = 0;
    for (; all.length - at >= size; at += size) yield all.subarray(at, at + size);
    held = [all.subarray(at)];
    length = all.length - at;
  }
  if (length > 0) yield Buffer.concat(held);
}

/** Clips a range to a value's size. */
export function clipRange({ start = 0, end = Infinity }: ByteRange, size: number): { start: number; end: number } {
  const from = Math.max(0, Math.min(start, size));
  return { start: from, end: Math.max(from, Math.min(end, size)) };
}
