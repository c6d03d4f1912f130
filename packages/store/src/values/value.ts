/** A long value: bytes with a type. */
export interface ValueInput {
  /** A text is stored as UTF-8. A stream is read once. */
  readonly data: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** The MIME type. */
  readonly mimeType: string;
  /** Whether it is UTF-8 text. Otherwise it is bytes. */
  readonly text: boolean;
}

/** The metadata of a stored value. */
export interface ValueInfo {
  readonly id: string;
  readonly mimeType: string;
  readonly text: boolean;
  /** In bytes. */
  readonly size: number;
  /** Number of Unicode characters and lines of a text. 0 for bytes. */
  readonly characters: number;
  readonly lines: number;
}

/** A byte range: `start` inclusive, `end` exclusive. Both are clipped to the value. Default: all of it. */
export interface ByteRange {
  readonly start?: number;
  readonly end?: number;
}

/** The bytes of a text or a buffer. Undefined for a stream. */
export function wholeBytes(data: ValueInput["data"]): Uint8Array | undefined {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return data instanceof Uint8Array ? data : undefined;
}

/** Clips a range to a value's size. */
export function clipRange({ start = 0, end = Infinity }: ByteRange, size: number): { start: number; end: number } {
  const from = Math.max(0, Math.min(start, size));
  return { start: from, end: Math.max(from, Math.min(end, size)) };
}
