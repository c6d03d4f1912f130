import type { Server } from "node:http";
import { callGraceMs } from "../../process-lifetime.ts";
import type { Host, RunningHost, SurfaceFor } from "../host.ts";
import { urlHost } from "../../network-address.ts";
import type { HttpHostOptions } from "./http-host-options.ts";
import { createHttpServer, listen } from "./http-server.ts";
import { RequestPipeline } from "./request-pipeline.ts";
import { startupLine } from "./startup-line.ts";

/** An HTTP host that runs. */
export interface RunningHttpHost extends RunningHost {
  /** The address of the MCP endpoint. */
  readonly url: string;
}

export interface HttpHost extends Host {
  start(surfaceFor: SurfaceFor): Promise<RunningHttpHost>;
}

/** Serves many clients over Streamable HTTP, without sessions. */
export function httpHost(options: HttpHostOptions): HttpHost {
  const { settings, authenticator, log } = options;
  return {
    hasOneClient: false,
    async start(surfaceFor) {
      const pipeline = new RequestPipeline(options, surfaceFor);
      const server = createHttpServer(pipeline.handle, options.timeouts);
      const { port } = await listen(server, settings);
      const ended = new Promise<void>((resolve) => server.once("close", resolve));
      const url = `http://${urlHost(settings.host)}:${port}${settings.path}`;
      log.info(startupLine(url, options));
      let closing: Promise<void> | undefined;
      const close = async () => {
        await pipeline.drain(callGraceMs);
        await options.onClose?.();
        await pipeline.close();
        await closeServer(server);
        await authenticator?.close();
      };
      return { url, ended, close: () => (closing ??= close()) };
    },
  };
}

/** Time for clients to receive the end of their streams, in ms. */
const lastWriteMs = 500;

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), lastWriteMs);
  await closed;
  clearTimeout(timer);
}
