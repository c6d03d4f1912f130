import type { Readable, Writable } from "node:stream";
import type { RunningHost, ServedSurface } from "./served-surface.ts";
import type { StdioServerOptions } from "./stdio-transport.ts";

export interface StdioHostOptions extends Omit<StdioServerOptions, "onError"> {
  /** Major version of the SDK that serves. 2 serves clients of both protocol eras. */
  readonly sdk: 1 | 2;
  /** Gets errors that are not sent to the client. */
  readonly onError?: StdioServerOptions["onError"];
}

/** Serves one client over a pair of streams. The host ends when the client closes either of them. */
export async function serveStdio(
  served: ServedSurface,
  { sdk, onError = () => {}, ...streams }: StdioHostOptions,
): Promise<RunningHost> {
  const ended = closed(streams.input, streams.output);
  const options = { ...streams, onError };
  const close =
    sdk === 1
      ? await (await import("./sdk-1.ts")).serveSdk1(served, options)
      : await (await import("./sdk-2.ts")).serveSdk2(served, options);
  return { close, ended };
}

function closed(input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    input.on("end", resolve);
    input.on("close", resolve);
    output.on("error", () => resolve());
  });
}
