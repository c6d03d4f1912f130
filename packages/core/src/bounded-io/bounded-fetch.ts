import { ToolError } from "../tool-error.ts";
import { createBoundScan, exceededMessage, messageBounds, type JsonBounds } from "./json-bounds.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface BoundedFetchOptions {
  /** Maximum response body size in bytes, after decompression. */
  readonly maxBytes: number;
  /** Bounds of the JSON in a body. Default: those of a message. */
  readonly bounds?: JsonBounds;
  /** Counts each event of a `text/event-stream` response by itself, for streams that stay open. Default false. */
  readonly perEvent?: boolean;
  /** Gets the error of a body that is too large, for consumers that lose the cause of a failed `text/event-stream`. */
  readonly onTooLarge?: (error: ToolError, isStream: boolean) => void;
  /** Awaited before each chunk of a body is passed on: backpressure of the consumer. */
  readonly ready?: () => Promise<void> | undefined;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * A fetch whose response bodies fail with `too_large` beyond a size, or where their JSON exceeds the bounds of a message. The connection is closed at
 * that point.
 */
export function boundedFetch(options: BoundedFetchOptions): Fetch {
  const { maxBytes, bounds = messageBounds, perEvent = false, onTooLarge, ready } = options;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const measure = perEvent && isStream ? eventSize() : totalSize();
    const scan = createBoundScan(bounds, isStream);
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          const reason = measure(chunk) > maxBytes ? largerThan(maxBytes) : exceeded(scan(chunk), bounds);
          if (reason !== undefined) {
            const error = new ToolError("too_large", `the response is ${reason}`);
            onTooLarge?.(error, isStream);
            return controller.error(error);
          }
          await ready?.();
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

/** The `too_large` error of a bounded response, wherever in a chain of causes it stands. */
export function tooLargeResponse(error: unknown): ToolError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (ToolError.is(cause) && cause.code === "too_large") return cause;
  }
  return undefined;
}

function largerThan(maxBytes: number): string {
  return `larger than ${maxBytes.toLocaleString("en")} bytes`;
}

function exceeded(bound: keyof JsonBounds | undefined, bounds: JsonBounds): string | undefined {
  return bound && exceededMessage(bound, bounds);
}

type Measure = (chunk: Uint8Array) => number;

function totalSize(): Measure {
  let size = 0;
  return (chunk) => (size += chunk.byteLength);
}

/** The size of the largest event that ends in the chunk or is unfinished after it. An empty line ends an event. */
function eventSize(): Measure {
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
