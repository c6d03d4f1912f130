import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ConfigurationError } from "@toolpacks/core";

/** Maximum connections at the same time. */
export const maxConnections = 4_096;

const timeouts = {
  /** Maximum time for the headers of a request, in ms. */
  headersTimeout: 15_000,
  /** Maximum time for a whole request, in ms. */
  requestTimeout: 30_000,
  /** Maximum time between two requests of one connection, in ms. More than the idle time of usual load balancers, so that they close first. */
  keepAliveTimeout: 65_000,
  /** How often the first two are checked, in ms. */
  connectionsCheckingInterval: 2_000,
};

/** Maximum time without a byte to or from a client that does not read, in ms. */
const stallTimeoutMs = 60_000;

/** Maximum size of all headers of one request, in bytes. */
const maxHeaderSize = 16_384;

export type HttpTimeouts = Partial<typeof timeouts & { readonly stallTimeout: number }>;

/** Creates the server. It closes connections that are slow to send, slow to read, or unused. */
export function createHttpServer(listener: RequestListener, changed: HttpTimeouts = {}): Server {
  const { stallTimeout = stallTimeoutMs, ...options } = { ...timeouts, ...changed };
  const handle: RequestListener = (request, response) => {
    // A response that cannot be written is closed, which its handler sees.
    response.on("error", () => {});
    response.on("timeout", closeUnread);
    listener(request, response);
  };
  const server = createServer({ ...options, maxHeaderSize, insecureHTTPParser: false }, handle);
  // The body is requested once the headers have been accepted.
  server.on("checkContinue", handle);
  server.timeout = stallTimeout;
  server.maxConnections = maxConnections;
  return server;
}

/** Closes the connection of a client that has not read for a while. A call that takes long has written nothing, and goes on. */
function closeUnread(this: ServerResponse, socket: Socket): void {
  if (socket.writableLength > 0 || this.writableLength > 0) socket.destroy();
}

/** Listens on the address. @throws ConfigurationError naming the setting */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.removeAllListeners("error");
      resolve(server.address() as AddressInfo);
    });
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new ConfigurationError(
        `port ${port}: another program listens on this port of ${host}; choose another one, or 0 for a free one`,
      );
    case "EACCES":
      return new ConfigurationError(
        `port ${port}: not permitted; ports below 1024 often need rights of the system, so choose a higher one`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ConfigurationError(`host ${host}: not an address of this machine; 127.0.0.1 is this machine alone`);
    default:
      return error;
  }
}
