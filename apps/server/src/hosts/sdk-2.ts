import { Server, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { attach, type Mounted } from "@toolpacks/surface";
import { RequestedRoots, rootsInCalls, type OnRoots } from "./client-roots.ts";
import type { Host, HostOptions } from "./host.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Serves clients of both protocol eras. */
export async function serveSdk2({ surface, input, output, ...options }: HostOptions): Promise<Host> {
  const { listChanged, version, onRoots, onError } = options;
  // The SDK creates one server to probe and one to serve. An update applies to both.
  const mounted = new Set<Mounted>();
  let current = surface;
  const inCalls = onRoots && rootsInCalls(onRoots);
  const pending = () => [...mounted].reduce((sum, one) => sum + one.pending(), 0);
  const transport = new StdioTransport<JSONRPCMessage>({ input, output, pending });
  const handle = serveStdio(
    ({ era }) => {
      const server = new Server({ name: "toolpacks", version }, { instructions: current.instructions });
      const before = era === "modern" ? inCalls : onRoots && requestRoots(server, onRoots, onError);
      const one = attach(server, current, { listChanged, ...(before && { before }) });
      mounted.add(one);
      server.onclose = () => mounted.delete(one);
      return server;
    },
    { transport, onerror: onError },
  );
  return {
    async update(next) {
      current = next;
      await Promise.all([...mounted].map((one) => one.update(next)));
    },
    close: () => handle.close(),
  };
}

function requestRoots(server: Server, onRoots: OnRoots, onError: HostOptions["onError"]): RequestedRoots["before"] {
  const roots = new RequestedRoots(server, onRoots, onError);
  server.oninitialized = roots.refresh;
  server.setNotificationHandler("notifications/roots/list_changed", roots.refresh);
  return roots.before;
}
