import { setImmediate as nextTurn } from "node:timers/promises";
import { ToolError } from "@toolpacks/core";
import { createBoundScan, exceededMessage, messageBounds, type JsonBounds } from "./json-bounds.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface BoundedFetchOptions {
  /** Maximum response body size in bytes, after decompression. */
  readonly maxBytes: number;
  /** Bounds of the JSON in a body. Default: those of a message. */
  readonly bounds?: JsonBounds;
  /**
   * Bounds each event of a `text/event-stream` response instead of the whole body, for streams that stay open. Such a stream yields to the event
   * loop after every 32 events. Default false.
   */
  readonly perEvent?: boolean;
  /** Gets the error of a body that is too large, for consumers that lose the cause of a failed `text/event-stream`. */
  readonly onTooLarge?: (error: ToolError, isStream: boolean) => void;
  /** Awaited before each part of a body is passed on: backpressure of the consumer. */
  readonly ready?: (isStream: boolean) => Promise<void> | undefined;
}

/** Events of a stream that are passed on in one turn of the event loop. The consumer handles all of them before anything else runs. */
const maxEventsPerTurn = 32;

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
    const measure = perEvent && isStream ? createEventMeasure() : createTotalMeasure();
    const scan = createBoundScan(bounds, isStream);
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          const { bytes, cuts } = measure(chunk);
          const reason = bytes > maxBytes ? largerThan(maxBytes) : exceeded(scan(chunk), bounds);
          if (reason !== undefined) {
            const error = new ToolError("too_large", `the response is ${reason}`);
            onTooLarge?.(error, isStream);
            return controller.error(error);
          }
          let start = 0;
          for (const cut of cuts) {
            await ready?.(isStream);
            controller.enqueue(chunk.subarray(start, cut));
            start = cut;
            await nextTurn();
          }
          if (start === chunk.length) return;
          await ready?.(isStream);
          controller.enqueue(chunk.subarray(start));
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

function largerThan(maxBytes: number): string {
  return `larger than ${maxBytes.toLocaleString("en")} bytes`;
}

function exceeded(bound: keyof JsonBounds | undefined, bounds: JsonBounds): string | undefined {
  return bound && exceededMessage(bound, bounds);
}

interface Measured {
  /** Bytes of the body so far, or of its largest event that is in the chunk. */
  readonly bytes: number;
  /** Where the chunk is cut to yield to the event loop: after the last event of a turn. */
  readonly cuts: readonly number[];
}

type Measure = (chunk: Uint8Array) => Measured;

function createTotalMeasure(): Measure {
  let bytes = 0;
  return (chunk) => ({ bytes: (bytes += chunk.byteLength), cuts: [] });
}

/** Measures the events that end in the chunk and the one that is unfinished after it. An empty line ends an event. */
function createEventMeasure(): Measure {
  let size = 0;
  let events = 0;
  let isLineEmpty = true;
  let previous = 0;
  return (chunk) => {
    let largest = size;
    const cuts: number[] = [];
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      size += 1;
      if (size > largest) largest = size;
      const isSecondOfPair = byte === lineFeed && previous === carriageReturn;
      if (!isSecondOfPair && (byte === lineFeed || byte === carriageReturn)) {
        if (isLineEmpty) {
          size = 0;
          events += 1;
          if (events % maxEventsPerTurn === 0) cuts.push(at + 1);
        }
        isLineEmpty = true;
      } else if (!isSecondOfPair) isLineEmpty = false;
      previous = byte;
    }
    return { bytes: largest, cuts };
  };
}
