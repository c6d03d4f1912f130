import { clipRange, type ByteRange, type ValueInfo } from "@toolpacks/store";
import { valueNotFound } from "../values/limits.ts";
import type { RelayValues } from "../values/relay-values.ts";

/** An existing value, opened for reading. */
export interface OpenValue {
  readonly values: RelayValues;
  readonly info: ValueInfo;
  readonly signal?: AbortSignal;
}

/** @throws ToolError `not_found` */
export async function openValue(values: RelayValues, id: string, signal?: AbortSignal): Promise<OpenValue> {
  const info = await values.info(id);
  if (info !== undefined) return { values, info, signal };
  throw valueNotFound(id);
}

/** The bytes of a range, in memory. The caller must bound its size. */
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

/** Cuts an incomplete UTF-8 character from the end of a buffer. */
export function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  let begun = end - 1;
  while (begun > end - 4 && begun > 0 && ((bytes[begun] ?? 0) & 0xc0) === 0x80) begun -= 1;
  const first = bytes[begun] ?? 0;
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (begun + length > end) end = begun;
  return bytes.subarray(0, end);
}
