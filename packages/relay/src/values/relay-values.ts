import type { ByteRange, ValueInfo, ValueInput } from "@toolpacks/store";

/** A value that is in memory. */
export interface WholeValue extends ValueInput {
  readonly data: string | Uint8Array;
}

/**
 * Storage for the values of one scope. The same bytes and type have the same id in a scope. An id is an HMAC of the content
 * under the scope's secret, so it cannot be guessed or computed in another scope. Values are removed by age and by total size.
 */
export interface RelayValues {
  /**
   * Stores a value completely or not at all. A value that is already stored is renewed. The MIME type is stored without
   * parameters; an invalid type becomes `text/plain` or `application/octet-stream`.
   *
   * @throws ToolError `too_large` for a value that is larger than the total limit
   */
  put(input: WholeValue): Promise<ValueInfo>;
  /** Undefined when the id is unknown, expired, or of another scope. */
  info(id: string): Promise<ValueInfo | undefined>;
  /** Streams a part of a value. @throws ToolError `not_found` when it does not exist */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Removes expired values, and the oldest beyond the total size. `put` calls it from time to time. */
  sweep(): Promise<void>;
}

/** Limits on stored values. */
export interface RelayLimits {
  /** Maximum age. Default 24. */
  readonly maxAgeHours?: number;
  /** Maximum bytes of all scopes together. Default 256 MiB. */
  readonly maxBytes?: number;
}
