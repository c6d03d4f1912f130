// A server of one's own: two packs and another MCP server, over stdio, or over HTTP for the holders of the tokens in a file.
// Usage: node src/server.ts <folder> <other server's program> [<port> <token file>]
import path from "node:path";
import { openAuthenticator } from "@toolpacks/access";
import { createCatalog } from "@toolpacks/core";
import { filesystem } from "@toolpacks/filesystem";
import { defaultHttpSettings, localPrincipal, serveHttp, serveStdio, surfacesOf } from "@toolpacks/host";
import { issues } from "@toolpacks/issues";
import { sqlite } from "@toolpacks/store-sqlite";
import { createLog } from "@toolpacks/telemetry";
import { upstream } from "@toolpacks/upstream";

const [folder = ".", program = "", port, tokens] = process.argv.slice(2);
const store = sqlite(path.join(folder, "records.db"));
const other = upstream({ name: "other", command: process.execPath, args: [program] });
const surfaceFor = surfacesOf(createCatalog({ packs: [filesystem({ roots: [folder] }), issues({ store }), other] }));
const log = createLog("info", (level, message) => console.error(`${level}: ${message}`));
const info = { name: "own", version: "1.0.0" };

async function overStdio() {
  return serveStdio(await surfaceFor(localPrincipal), { info });
}

async function overHttp() {
  const settings = { ...defaultHttpSettings, port: Number(port), tokens };
  const authenticator = await openAuthenticator(settings, log);
  const host = await serveHttp(surfaceFor, { settings, info, log, authenticator });
  log.info(`listening on ${host.url}`);
  return host;
}

const host = await (port === undefined ? overStdio() : overHttp());
process.once("SIGTERM", () => void host.close());
await host.ended;
await Promise.all([other.remote.end(), store.end()]);
