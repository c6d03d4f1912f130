import { clipRange } from "../values/chunks.ts";
import type { ByteRange } from "../values/relay-values.ts";
import type { OpenValue } from "./open-value.ts";

/** The bytes of a range, in one piece. Its size is the caller's to bound. */
export async function rangeBytes({ values, info, signal }: OpenValue, range: ByteRange = {}): Promise<Buffer> {
  const { start, end } = clipRange(range, info.size);
  const bytes = Buffer.allocUnsafe(end - start);
  let size = 0;
  if (start < end) {
    for await (const chunk of values.read(info.id, { start, end })) {
      signal?.throwIfAborted();
      bytes.set(chunk, size);
      size += chunk.length;
    }
  }
  return bytes.subarray(0, size);
}

/** A buffer's whole characters from its beginning: the last one may have been cut, and is then left out. */
export function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  let begun = end - 1;
  while (begun > end - 4 && begun > 0 && ((bytes[begun] ?? 0) & 0xc0) === 0x80) begun -= 1;
  const first = bytes[begun] ?? 0;
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (begun + length > end) end = begun;
  return bytes.subarray(0, end);
}
