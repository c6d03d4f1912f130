export interface TracesOptions {
  /** The maximum number of traces in each workspace; the oldest are removed first. Default 10,000. */
  readonly keep?: number;
  /** How long to keep traces, in days. Default 30. */
  readonly days?: number;
  /** Called with the error when traces cannot be written, and not again until a write succeeds. Default: the error is dropped. */
  readonly onError?: (error: unknown) => void;
}
