import { Server } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { attach, type Mounted } from "@toolpacks/surface";
import { FastPath, type FastServer } from "./fast-path.ts";
import type { Host, HostOptions } from "./host.ts";

/** Serves clients of both protocol eras. */
export async function serveSdk2({ surface, input, output, ...options }: HostOptions): Promise<Host> {
  const { listChanged, version, onError } = options;
  // The SDK asks for one server to probe with and one to serve; both follow an update.
  const mounted = new Set<Mounted>();
  let current = surface;
  let serving: FastServer | undefined;
  const fastPath = new FastPath({ input, output, server: () => serving });
  const handle = serveStdio(
    ({ era }) => {
      const identity = { name: "toolpacks", version };
      const server = new Server(identity, { instructions: current.instructions });
      const one = attach(server, current, { listChanged });
      mounted.add(one);
      // Once more, so that the fast path hears what the SDK lets through.
      server.setRequestHandler("tools/call", (request, context) => {
        fastPath.reached(context.mcpReq.id);
        // Its type of a question back is narrower than what it takes.
        return one.call(request, context) as Promise<never>;
      });
      const elicit = server.elicitInput.bind(server);
      serving = { call: one.call, elicit, ...(era === "modern" && { modern: identity }) };
      server.onclose = () => mounted.delete(one);
      return server;
    },
    { transport: new StdioServerTransport(fastPath.rest, output), onerror: onError },
  );
  return {
    async update(next) {
      current = next;
      await Promise.all([...mounted].map((one) => one.update(next)));
    },
    async close() {
      fastPath.close();
      await handle.close();
    },
  };
}
