import type { Readable, Writable } from "node:stream";
import type { RunningHost, ServedSurface } from "./served-surface.ts";
import type { StdioServerOptions } from "./stdio-transport.ts";

export interface StdioHostOptions extends Pick<StdioServerOptions, "info">, Partial<Omit<StdioServerOptions, "info">> {
  /** Major version of the SDK that serves. Default 2, which serves clients of both protocol eras. */
  readonly sdk?: 1 | 2;
}

/** Serves one client over a pair of streams, by default those of the process. The host ends when the client closes either of them. */
export async function serveStdio(served: ServedSurface, options: StdioHostOptions): Promise<RunningHost> {
  const { sdk = 2, info, input = process.stdin, output = process.stdout, onError = () => {} } = options;
  const ended = closed(input, output);
  const serve = sdk === 1 ? (await import("./sdk-1.ts")).serveSdk1 : (await import("./sdk-2.ts")).serveSdk2;
  return { close: await serve(served, { info, input, output, onError }), ended };
}

function closed(input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    input.on("end", resolve);
    input.on("close", resolve);
    output.on("error", () => resolve());
  });
}
