import { ToolError } from "@toolpacks/core";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface BoundedFetchOptions {
  /** Maximum response body size in bytes, after decompression. */
  readonly maxBytes: number;
  /**
   * Bounds each event of a `text/event-stream` response instead of the whole body, for streams that stay open. Default false.
   */
  readonly perEvent?: boolean;
  /** Gets the error of a body that is too large, for consumers that lose the cause of a failed `text/event-stream`. */
  readonly onTooLarge?: (error: ToolError, isStream: boolean) => void;
  /** Awaited before each part of a body is passed on: backpressure of the consumer. */
  readonly ready?: (isStream: boolean) => Promise<void> | undefined;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A fetch whose response bodies fail with `too_large` beyond a size. The connection is closed at that point. */
export function boundedFetch({ maxBytes, perEvent = false, onTooLarge, ready }: BoundedFetchOptions): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const bytesSoFar = perEvent && isStream ? countEvents() : countBytes();
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          if (bytesSoFar(chunk) > maxBytes) {
            const error = new ToolError(
              "too_large",
              `the response is larger than ${maxBytes.toLocaleString("en")} bytes`,
            );
            onTooLarge?.(error, isStream);
            return controller.error(error);
          }
          await ready?.(isStream);
          controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    const bounded = new Response(body, { status, statusText, headers });
    // A constructed response has no URL, which OAuth and redirects need.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

/** The `too_large` error of a bounded response, at any place in a chain of causes. */
export function tooLargeResponse(error: unknown): ToolError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (ToolError.is(cause) && cause.code === "too_large") return cause;
  }
  return undefined;
}

function countBytes(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => (bytes += chunk.byteLength);
}

/** Counts the bytes of the largest event that is in a chunk, with its beginning in earlier chunks. An empty line ends an event. */
function countEvents(): (chunk: Uint8Array) => number {
  let size = 0;
  let isLineEmpty = true;
  let previous = 0;
  return (chunk) => {
    let largest = size;
    for (const byte of chunk) {
      size += 1;
      if (size > largest) largest = size;
      const isSecondOfPair = byte === lineFeed && previous === carriageReturn;
      if (!isSecondOfPair && (byte === lineFeed || byte === carriageReturn)) {
        if (isLineEmpty) size = 0;
        isLineEmpty = true;
      } else if (!isSecondOfPair) isLineEmpty = false;
      previous = byte;
    }
    return largest;
  };
}
