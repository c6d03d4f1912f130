import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import type { Pack } from "@toolpacks/core";
import { attach, createInteractiveCalls, createSurface, type SurfaceName } from "@toolpacks/surface";

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

interface HttpServerOptions {
  readonly packs: readonly Pack[];
  readonly surface: SurfaceName;
  /** The bearer token that a request needs. Default: none. */
  readonly token?: string;
}

/** Serves packs over Streamable HTTP, with a server per request. */
export async function serveHttp({ packs, surface: name, token }: HttpServerOptions): Promise<HttpServer> {
  const surface = await createSurface({ packs, surface: name });
  const interactiveCalls = createInteractiveCalls();
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "toolpacks", version: "0.0.0" }, { instructions: surface.instructions });
    attach(server, surface, { interactiveCalls });
    return server;
  });
  const handle = toNodeHandler(handler);
  const isLocalHost = localhostHostValidation();
  const isLocalOrigin = localhostOriginValidation();
  const isAllowed = ({ headers }: IncomingMessage) =>
    token === undefined || headers.authorization === `Bearer ${token}`;
  const http = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    // The types of Node's fields lack `undefined`.
    if (isAllowed(request)) return void handle(request as Parameters<typeof handle>[0], response);
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await handler.close();
      http.closeAllConnections();
      http.close();
    },
  };
}
