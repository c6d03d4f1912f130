import type { RunningHost, ServedSurface } from "./served-surface.ts";
import type { StdioServerOptions } from "./stdio-transport.ts";

export type StdioHostOptions = Pick<StdioServerOptions, "info"> & Partial<StdioServerOptions>;

/**
 * Serves one client of any protocol version over a pair of streams, by default those of the process. The host ends when the client closes either of them.
 */
export async function serveStdio(served: ServedSurface, options: StdioHostOptions): Promise<RunningHost> {
  const { runStdioHost } = await import("./run-stdio-host.ts");
  return runStdioHost(served, { input: process.stdin, output: process.stdout, onError: () => {}, ...options });
}
