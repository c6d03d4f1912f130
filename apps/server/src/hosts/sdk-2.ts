import { Server } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { attach, type Mounted } from "@toolpacks/surface";
import type { Host, HostOptions } from "./host.ts";

/** Serves clients of both protocol eras. */
export async function serveSdk2({ surface, listChanged, version, output, onError }: HostOptions): Promise<Host> {
  // The SDK asks for one server to probe with and one to serve; both follow an update.
  const mounted = new Set<Mounted>();
  let current = surface;
  const handle = serveStdio(
    () => {
      const server = new Server({ name: "toolpacks", version }, { instructions: current.instructions });
      const one = attach(server, current, { listChanged });
      mounted.add(one);
      server.onclose = () => mounted.delete(one);
      return server;
    },
    { transport: new StdioServerTransport(process.stdin, output), onerror: onError },
  );
  return {
    async update(next) {
      current = next;
      await Promise.all([...mounted].map((one) => one.update(next)));
    },
    close: () => handle.close(),
  };
}
