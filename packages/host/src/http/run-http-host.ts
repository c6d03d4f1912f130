import type { RequestListener, Server } from "node:http";
import { isLoopback, urlHost } from "@toolpacks/access";
import { ConfigurationError, type PackLog } from "@toolpacks/core";
import { createInteractiveCalls } from "@toolpacks/surface";
import { callGraceMs } from "../call-grace.ts";
import type { RunningHttpHost } from "../serve-http.ts";
import type { SurfaceFor } from "../served-surface.ts";
import { newRequest, runChecks } from "./http-check.ts";
import { httpChecks } from "./http-checks.ts";
import { defaultHttpSettings, type HttpHostOptions } from "./http-host-options.ts";
import { createHttpServer, listen } from "./http-server.ts";
import type { Readiness } from "./readiness.ts";

export async function runHttpHost(surfaceFor: SurfaceFor, options: HttpHostOptions): Promise<RunningHttpHost> {
  const { authenticator } = options;
  const settings = { ...defaultHttpSettings, ...options.settings };
  const { host, path } = settings;
  if (authenticator === undefined && !isLoopback(host)) {
    throw new ConfigurationError(
      `host ${host}: other machines can reach this address, so callers need an authenticator; or listen on 127.0.0.1`,
    );
  }
  const interactiveCalls = createInteractiveCalls();
  const { checks, shutdown, streams, calls } = httpChecks({
    log: noLog,
    readiness: alwaysReady,
    ...options,
    settings,
    surfaceFor,
    interactiveCalls,
  });
  const handle: RequestListener = (request, response) => void runChecks(checks, newRequest(request, response));
  const server = createHttpServer(handle, options.timeouts);
  const { port } = await listen(server, settings);
  const ended = new Promise<void>((resolve) => server.once("close", resolve));
  let closing: Promise<void> | undefined;
  const close = async () => {
    await shutdown.drain(callGraceMs);
    interactiveCalls.close();
    streams.close();
    await calls.close();
    await closeServer(server);
    await authenticator?.close();
  };
  return { url: `http://${urlHost(host)}:${port}${path}`, ended, close: () => (closing ??= close()) };
}

const noLog: PackLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const alwaysReady: Readiness = { problem: async () => undefined };

/** Time for clients to receive the end of their streams, in ms. */
const lastWriteMs = 500;

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), lastWriteMs);
  await closed;
  clearTimeout(timer);
}
