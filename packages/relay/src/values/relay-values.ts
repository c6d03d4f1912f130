/** A value to store. */
export interface RelayValueInput {
  /** A text is stored as UTF-8. A stream is read once. */
  readonly data: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Stored without parameters. An invalid type becomes `text/plain` or `application/octet-stream`. */
  readonly mimeType: string;
  /** Whether it is UTF-8 text. Otherwise it is bytes. */
  readonly text: boolean;
}

/** The metadata of a stored value. */
export interface RelayValueInfo {
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

/**
 * Storage for the values of one scope. The same bytes and type have the same id in a scope. An id is an HMAC of the content
 * under the scope's secret, so it cannot be guessed or computed in another scope. Values are removed by age and by total size.
 */
export interface RelayValues {
  /**
   * Stores a value completely or not at all. A value that is already stored is renewed.
   *
   * @throws ToolError `too_large` for a value that is larger than the total limit
   */
  put(input: RelayValueInput): Promise<RelayValueInfo>;
  /** Undefined when the id is unknown, expired, or of another scope. */
  info(id: string): Promise<RelayValueInfo | undefined>;
  /** Streams a part of a value. @throws ToolError `not_found` when it does not exist */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Removes expired values, and the oldest beyond the total size. `put` calls it from time to time. */
  sweep(): Promise<void>;
}

/** Limits on stored values. */
export interface RelayLimits {
  /** Maximum age. Default 24. */
  readonly maxAgeHours?: number;
  /** Maximum bytes of all scopes together. */
  readonly maxBytes?: number;
}
