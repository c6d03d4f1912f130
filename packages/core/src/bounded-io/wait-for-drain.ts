import type { Writable } from "node:stream";

/** Resolves when a stream accepts more data or is closed. Undefined if the stream accepts data now. */
export function waitForDrain(output: Writable): Promise<void> | undefined {
  if (!output.writableNeedDrain || output.closed) return undefined;
  return new Promise((resolve) => {
    const finish = () => {
      for (const event of events) output.off(event, finish);
      resolve();
    };
    for (const event of events) output.on(event, finish);
  });
}

const events = ["drain", "close", "error"] as const;
