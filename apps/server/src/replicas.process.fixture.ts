import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { HttpServerProcess } from "./http-server.process.fixture.ts";

/** A server that serves HTTP. */
type Replica = Pick<HttpServerProcess, "url">;

/** A load balancer without affinity. */
export interface LoadBalancer {
  /** Address of the MCP endpoint. */
  readonly url: string;
  /** Replaces the replicas that get requests. */
  use(replicas: readonly Replica[]): void;
  close(): Promise<void>;
}

/** Starts a proxy that sends each request to the next replica. It repeats a request only if the connection to a replica was refused. */
export async function startLoadBalancer(first: readonly Replica[]): Promise<LoadBalancer> {
  let replicas = first;
  let next = 0;
  const forward = (incoming: IncomingMessage, response: ServerResponse, triesLeft: number) => {
    const { hostname: host, port } = new URL(replicas[(next += 1) % replicas.length]?.url ?? "http://unknown");
    const { method, url: path, headers } = incoming;
    const outgoing = request({ host, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" && triesLeft > 0) forward(incoming, response, triesLeft - 1);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on("close", () => outgoing.destroy());
    // Sent only when the connection stands, so that a refused request can go to another replica.
    outgoing.on("socket", (socket) => {
      const send = () => incoming.pipe(outgoing);
      if (socket.connecting) socket.once("connect", send);
      else send();
    });
  };
  const server = createServer((incoming, response) => forward(incoming, response, replicas.length));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    use: (others) => void (replicas = others),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
