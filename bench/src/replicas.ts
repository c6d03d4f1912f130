// Requests per second of one, two and three replicas on one PostgreSQL: a no-op, a read and a write. The clients share out their connections among the
// replicas, and have one core at most. All share this machine's processor with PostgreSQL and the clients. Run with `node --conditions=@toolpacks/source`.
import { fileURLToPath } from "node:url";
import { startPostgres } from "@toolpacks/store-postgres/fixture";
import autocannon from "autocannon";
import { startHttp } from "../../apps/server/src/http-server.process.fixture.ts";

const seconds = 5;
const connections = 32;
const config = fileURLToPath(
  new URL(process.argv.includes("--traces") ? "./noop.config.json" : "./noop-untraced.config.json", import.meta.url),
);

const calls = {
  "no-op": () => ({ name: "noop", arguments: {} }),
  read: () => ({ name: "store_query", arguments: { kind: "note", limit: 5 } }),
  write: () => ({ name: "store_put", arguments: { kind: "note", record: { text: `note ${Math.random()}` } } }),
};

async function rate(urls: readonly string[], params: () => object): Promise<number> {
  const rates = await Promise.all(urls.map((url) => rateOf(url, params, connections / urls.length)));
  return Math.round(rates.reduce((sum, one) => sum + one, 0));
}

async function rateOf(url: string, params: () => object, share: number): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({
    url,
    connections: Math.floor(share),
    duration: seconds,
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: params() }),
        }),
      },
    ],
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} failed`);
  return requests.average;
}

const database = await startPostgres();
const start = () => startHttp(["--store", database.address, "--config", config, "--workspace", "bench"]);
const replicas = [await start(), await start(), await start()];
const rows: object[] = [];
for (let count = 1; count <= replicas.length; count += 1) {
  const urls = replicas.slice(0, count).map(({ url }) => url);
  const row: Record<string, number> = { replicas: count };
  for (const [name, params] of Object.entries(calls)) {
    await rate(urls, params);
    row[name] = await rate(urls, params);
  }
  rows.push(row);
}
console.log(`requests per second, ${connections} connections`);
console.table(rows);
await Promise.all(replicas.map((one) => one.close()));
await database.remove();
process.exit(0);
