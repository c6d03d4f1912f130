// `node bench/src/memory.ts [entities …]`: the memory pack compared with the official memory server, both over stdio, on the same entities; after a build.
// Quote ratios; milliseconds are this machine's.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { importGraph } from "@toolpacks/memory/transfer";
import { sqlite } from "@toolpacks/store-sqlite";
import { percentile } from "./connection.ts";
import { makeEntities, type GraphEntity } from "./memory-graph.ts";
import { officialServer, packServer, type MemoryServer } from "./memory-servers.ts";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 50_000];
/** Calls per turn of one server, so that the servers do not disturb each other's disk writes and caches. */
const block = 20;
const blocks = 8;
/** Warm-up calls of each kind to each server. */
const warmUp = 200;

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));

/** The same entities in either server's own form. */
async function fill(entities: readonly GraphEntity[], size: number): Promise<readonly [MemoryServer, MemoryServer]> {
  const file = path.join(folder, `${size}.jsonl`);
  const lines = entities.map((entity) => JSON.stringify({ type: "entity", ...entity }));
  writeFileSync(file, lines.join("\n"));
  const address = path.join(folder, `${size}.db`);
  const store = sqlite(address);
  await importGraph(store, lines);
  await store.end();
  return [await officialServer(file), await packServer(address)];
}

/** Queries: an entity's name, or three adjacent words of an observation. */
const searches = {
  "search a name": (entity: GraphEntity) => entity.name,
  "search three words": (entity: GraphEntity) => entity.observations[1]?.split(" ").slice(2, 5).join(" ") ?? "",
};

async function measure(servers: readonly MemoryServer[], entities: readonly GraphEntity[], size: number) {
  const times: Record<string, number[][]> = {};
  const fresh = [...makeEntities(warmUp + block * blocks, size + 1)];
  const work: Record<string, (server: MemoryServer, call: number) => Promise<unknown>> = {
    create: (server, call) => server.create(fresh[call] as GraphEntity),
    ...Object.fromEntries(
      Object.entries(searches).map(([what, ask]) => [
        what,
        async (server: MemoryServer, call: number) => {
          const known = entities[(call * 7_919) % entities.length] as GraphEntity;
          if ((await server.search(ask(known))).length === 0)
            throw new Error(`${server.name}: ${ask(known)} not found`);
        },
      ]),
    ),
  };
  for (let turn = 0; turn <= blocks; turn += 1) {
    const first = turn === 0 ? 0 : warmUp + (turn - 1) * block;
    for (const [at, server] of servers.entries()) {
      for (const [what, call] of Object.entries(work)) {
        for (let n = first; n < warmUp + turn * block; n += 1) {
          const start = performance.now();
          await call(server, n);
          if (turn > 0) ((times[what] ??= servers.map(() => []))[at] ??= []).push(performance.now() - start);
        }
      }
    }
  }
  return times;
}

const medians: Record<string, Record<number, readonly number[]>> = {};
/** The fastest tenth, to filter out noise of a busy machine. */
const fastest: typeof medians = {};
for (const size of sizes) {
  const entities = [...makeEntities(size)];
  const servers = await fill(entities, size);
  const times = await measure(servers, entities, size);
  await Promise.all(servers.map((server) => server.close()));
  for (const [what, ofServers] of Object.entries(times)) {
    (medians[what] ??= {})[size] = ofServers.map((of) => percentile(of, 0.5));
    (fastest[what] ??= {})[size] = ofServers.map((of) => percentile(of, 0.1));
  }
}
rmSync(folder, { recursive: true });
const rows = Object.entries(medians).flatMap(([what, ofSizes]) =>
  sizes.map((size) => {
    const [official = Number.NaN, pack = Number.NaN] = ofSizes[size] ?? [];
    const [officialFast = Number.NaN, packFast = Number.NaN] = fastest[what]?.[size] ?? [];
    const [, smallest = Number.NaN] = ofSizes[sizes[0] ?? size] ?? [];
    return {
      what,
      entities: size,
      "official p50 ms": official.toFixed(2),
      "toolpacks p50 ms": pack.toFixed(2),
      "times faster": (official / pack).toFixed(1),
      p10s: `${officialFast.toFixed(2)} / ${packFast.toFixed(2)} = ${(officialFast / packFast).toFixed(1)}`,
      [`of its own at ${sizes[0]}`]: (pack / smallest).toFixed(2),
    };
  }),
);
console.table(rows);
