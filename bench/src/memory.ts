// `node bench/src/memory.ts [entities …]`: the memory pack beside the official memory server, both over stdio, on the same entities; after a build.
// Quote ratios; milliseconds are this machine's.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { importGraph } from "@toolpacks/memory";
import { sqlite } from "@toolpacks/store-sqlite";
import { percentile } from "./connection.ts";
import { makeEntities, type GraphEntity } from "./memory-graph.ts";
import { officialServer, packServer, type MemoryServer } from "./memory-servers.ts";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 50_000];
/** The official server takes a tenth of a second for a call; so many make a median. */
const calls = 40;

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

/** What is asked: an entity's name; three words in a row of an observation, frequent ones among them. */
const searches = {
  "search a name": (entity: GraphEntity) => entity.name,
  "search three words": (entity: GraphEntity) => entity.observations[1]?.split(" ").slice(2, 5).join(" ") ?? "",
};

async function measure(servers: readonly MemoryServer[], entities: readonly GraphEntity[], size: number) {
  const times: Record<string, number[][]> = {};
  const time = async (what: string, at: number, work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    ((times[what] ??= servers.map(() => []))[at] ??= []).push(performance.now() - start);
  };
  const fresh = [...makeEntities(calls + 5, size + 1)];
  for (const [call, entity] of fresh.entries()) {
    const known = entities[(call * 7_919) % entities.length];
    for (const [at, server] of servers.entries()) {
      const isWarm = call >= 5;
      await time(isWarm ? "create" : "warm up", at, () => server.create(entity));
      if (known === undefined) continue;
      for (const [what, ask] of Object.entries(searches)) {
        await time(isWarm ? what : "warm up", at, async () => {
          if ((await server.search(ask(known))).length === 0)
            throw new Error(`${server.name} did not find ${ask(known)}`);
        });
      }
    }
  }
  delete times["warm up"];
  return times;
}

const medians: Record<string, Record<number, readonly number[]>> = {};
for (const size of sizes) {
  const entities = [...makeEntities(size)];
  const servers = await fill(entities, size);
  const times = await measure(servers, entities, size);
  await Promise.all(servers.map((server) => server.close()));
  for (const [what, ofServers] of Object.entries(times)) {
    (medians[what] ??= {})[size] = ofServers.map((of) => percentile(of, 0.5));
  }
}
rmSync(folder, { recursive: true });
const rows = Object.entries(medians).flatMap(([what, ofSizes]) =>
  sizes.map((size) => {
    const [official = Number.NaN, pack = Number.NaN] = ofSizes[size] ?? [];
    const [, smallest = Number.NaN] = ofSizes[sizes[0] ?? size] ?? [];
    return {
      what,
      entities: size,
      "official p50 ms": official.toFixed(2),
      "toolpacks p50 ms": pack.toFixed(2),
      "times faster": (official / pack).toFixed(1),
      [`of its own at ${sizes[0]}`]: (pack / smallest).toFixed(2),
    };
  }),
);
console.table(rows);
