// `node replica.fixture.ts <store> <log>`: an HTTP server on a shared store. Prints its address. `GET /publish?…` publishes an event.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { createMcpHandler, Server, type ServerEvent } from "@modelcontextprotocol/server";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { attach } from "@toolpacks/surface";
import { createLog } from "../log.ts";
import { askingSurface } from "./asking-pack.fixture.ts";
import { openReplicas } from "./replicas.ts";

const setting = <T>(value: T) => ({ value, origin: "--store", source: "flag" as const });

/** Serves until it is closed. Resolves to the address. */
export async function startReplica(store: string, file: string) {
  const replicas = await openReplicas({ settings: { store: setting(store) }, log: createLog("silent") });
  const surface = await askingSurface(file);
  const bus = replicas.eventBuses.of("everyone");
  const handler = createMcpHandler(
    () => {
      const capabilities = { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } };
      const server = new Server({ name: "test", version: "1.0.0" }, { capabilities });
      attach(server, surface, { listChanged: true, interactiveCalls: replicas.interactiveCalls });
      return server;
    },
    { bus },
  );
  const serve = toNodeHandler(handler);
  const http = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? "", "http://127.0.0.1");
    if (pathname !== "/publish") {
      const sub = request.headers["x-sub"];
      const auth = { token: "", clientId: "test", scopes: [], extra: { sub } };
      // The SDK's types admit no undefined method.
      void serve(Object.assign(request, sub === undefined ? {} : { auth }) as Parameters<typeof serve>[0], response);
      return;
    }
    const event = JSON.parse(searchParams.get("event") ?? "") as ServerEvent;
    replicas.eventBuses.of(searchParams.get("scope") ?? "").publish(event);
    response.end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const place = http.address();
  const port = typeof place === "object" && place !== null ? place.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    replicas,
    close: async () => {
      await replicas.close();
      await handler.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

const [, script = "", store = "", file = ""] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  const { url, close } = await startReplica(store, file);
  process.on("SIGTERM", () => void close().then(() => process.exit(0)));
  console.log(url);
}
