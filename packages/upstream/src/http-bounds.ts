import { setTimeout as wait } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import type { Fetch } from "@toolpacks/bounded-io";

/** Maximum responses that wait to be taken by a server. */
const maxPendingResponses = 100;
/** Minimum time between two openings of an event stream, in ms. The server may ask for less. */
const streamPauseMs = 1_000;

/** Calls `onExceeded` when a server that sends requests does not take the responses. The transport is not yet connected. */
export function boundResponses(transport: Transport, onExceeded: (error: ToolError) => void): void {
  const send = transport.send.bind(transport);
  let pending = 0;
  transport.send = async (message, options) => {
    if ("method" in message) return send(message, options);
    pending += 1;
    if (pending > maxPendingResponses) {
      const problem = `the server does not take the responses to its ${maxPendingResponses} latest requests, and its connection was closed`;
      onExceeded(
        new ToolError("unavailable", problem, "The call may have had an effect. The next call connects again."),
      );
    }
    return send(message, options).finally(() => (pending -= 1));
  };
}

/** Delays requests for event streams, so that a server whose streams end at once is asked once a second. */
export function withStreamPauses(fetch: Fetch): Fetch {
  let nextAt = 0;
  return async (input, init) => {
    const isStream = new Headers(init?.headers).get("accept")?.includes("text/event-stream") === true;
    if (isStream && (init?.method ?? "GET") === "GET") {
      const pauseMs = nextAt - performance.now();
      nextAt = Math.max(nextAt, performance.now()) + streamPauseMs;
      if (pauseMs > 0) await wait(pauseMs, undefined, init?.signal ? { signal: init.signal } : {});
    }
    return fetch(input, init);
  };
}
