import type { Readable, Writable } from "node:stream";
import { Server, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { attach, type Mounted } from "@toolpacks/surface";
import { RequestedRoots, rootsRequestName, rootsInCalls } from "./client-roots.ts";
import type { RunningHost, ServedSurface, UseRoots } from "./served-surface.ts";
import { StdioTransport, type StdioServerOptions } from "./stdio-transport.ts";

/** Serves one client, as `serveStdio` does. */
export function runStdioHost(served: ServedSurface, options: StdioServerOptions): RunningHost {
  const { info, input, output, onError } = options;
  const ended = closed(input, output);
  const { mayChange = false, useRoots } = served;
  // The SDK creates one server to probe and one to serve.
  const mounted = new Set<Mounted>();
  const inCalls = useRoots && rootsInCalls(useRoots);
  const pending = () => [...mounted].reduce((sum, one) => sum + one.pending(), 0);
  const transport = new StdioTransport<JSONRPCMessage>({ input, output, pending });
  const handle = serveStdio(
    ({ era }) => {
      const surface = served.current;
      const server = new Server(info, { instructions: surface.instructions });
      const before = era === "modern" ? inCalls : useRoots && requestRoots(server, useRoots, onError);
      const one = attach(server, surface, {
        listChanged: mayChange,
        ...(before && { before, beforeState: rootsRequestName }),
      });
      const stopUsing = served.use?.();
      const stopWatching = served.watch?.({ replace: (next) => one.update(next) });
      mounted.add(one);
      server.onclose = () => {
        stopUsing?.();
        stopWatching?.();
        mounted.delete(one);
      };
      return server;
    },
    { transport, onerror: onError },
  );
  return { close: () => handle.close(), ended };
}

function requestRoots(
  server: Server,
  useRoots: UseRoots,
  onError: StdioServerOptions["onError"],
): RequestedRoots["before"] {
  const roots = new RequestedRoots(server, useRoots, onError);
  server.oninitialized = roots.refresh;
  server.setNotificationHandler("notifications/roots/list_changed", roots.refresh);
  return roots.before;
}

function closed(input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    input.on("end", resolve);
    input.on("close", resolve);
    output.on("error", () => resolve());
  });
}
