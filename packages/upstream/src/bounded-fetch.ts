import type { FetchLike } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { tooLongMessage } from "./child-transport.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A fetch whose answers end in an error where they, or one event of their stream, are larger than so many bytes. */
export function boundedFetch(most: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const body = response.body.pipeThrough(isStream ? eventLimit(most) : limit(most));
    const { status, statusText, headers } = response;
    const bounded = new Response(body, { status, statusText, headers });
    // A response that is made has no address, which OAuth and redirects go by.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

function limit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > most) controller.error(new ToolError("too_large", tooLongMessage(most)));
      else controller.enqueue(chunk);
    },
  });
}

/** An empty line ends an event, and a stream may go on for as long as it likes. */
function eventLimit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let isLineEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        size += 1;
        if (byte === lineFeed) {
          if (isLineEmpty) size = 0;
          isLineEmpty = true;
        } else if (byte !== carriageReturn) isLineEmpty = false;
      }
      if (size > most) controller.error(new ToolError("too_large", tooLongMessage(most)));
      else controller.enqueue(chunk);
    },
  });
}
