/** A value to be kept. */
export interface RelayValueInput {
  /** A text is kept as UTF-8. A stream is read once. */
  readonly data: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Kept without its parameters; one that is none becomes `text/plain` or `application/octet-stream`. */
  readonly mimeType: string;
  /** Whether it is UTF-8 text; otherwise bytes. */
  readonly text: boolean;
}

/** What is known of a kept value without opening it. */
export interface RelayValueInfo {
  readonly id: string;
  readonly mimeType: string;
  readonly text: boolean;
  /** In bytes. */
  readonly size: number;
  /** Of a text: how many Unicode characters and lines it has. 0 of bytes. */
  readonly characters: number;
  readonly lines: number;
}

/** Bytes from `start` up to, not including, `end`. Both are clipped to the value. Default: all of it. */
export interface ByteRange {
  readonly start?: number;
  readonly end?: number;
}

/**
 * Where the values of one scope are kept. The same bytes of the same type have the same id in a scope, and an id can be neither guessed nor
 * computed in another: it is an HMAC of the content under the scope's own secret. Values go by age and, the oldest first, by total size.
 */
export interface RelayValues {
  /**
   * Keeps a value, whole or not at all; one that is kept already lives on as if it were new.
   *
   * @throws ToolError `too_large` for one that is larger than everything together may be
   */
  put(input: RelayValueInput): Promise<RelayValueInfo>;
  /** Undefined when there is none of this id: never kept, expired, or another scope's. */
  info(id: string): Promise<RelayValueInfo | undefined>;
  /** A part of a value, piece by piece, so that no more than a piece need be in memory. Throws `not_found` when it is gone. */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Removes what has expired, and the oldest beyond the total size. `put` does so from time to time. */
  sweep(): Promise<void>;
}

/** How long and how much is kept. */
export interface RelayLimits {
  /** Default 24. */
  readonly maxAgeHours?: number;
  /** Of all scopes together. */
  readonly maxBytes?: number;
}
