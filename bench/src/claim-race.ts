// `node --conditions=@toolpacks/source bench/src/claim-race.ts [--postgres]`: 64 claimers over 1,000 issues with dependencies, after a build. Each is an
// MCP client over HTTP of one of eight server processes on one store. A random server is killed each second, with its claimers; others take over their
// issues when the leases end. Exits with code 1 if an issue is claimed twice or lost.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { everyRecord } from "@toolpacks/store";
import type { OwnedStore } from "@toolpacks/core";
import { issueKind } from "@toolpacks/issues";
import { postgres } from "@toolpacks/store-postgres";
import { startPostgres } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { startHttp, type HttpServerProcess } from "../../apps/server/src/http-server.process.fixture.ts";
import { connectOverHttp } from "../../apps/server/src/mixed-load.fixture.ts";
import { judge, type Claim, type Closing, type FinalIssue } from "./claim-verdict.ts";
import { percentile } from "./connection.ts";

const config = fileURLToPath(new URL("./claim-race.config.json", import.meta.url));
/** As in the config file. */
const leaseMs = 60_000;
const issueCount = 1_000;
const serverCount = 8;
const claimersPerServer = 8;
/** Maximum time for which a claimer works on an issue, in ms. */
const maxWorkMs = 50;
/** Delay before a claimer asks again when no issue is ready, in ms. */
const idleMs = 1_000;
const killMs = 1_000;
const maxRaceMs = 900_000;
const workspace = "race";
const kind = issueKind();

/** A server, and whether the race has killed it. */
interface Racer {
  readonly server: HttpServerProcess;
  isKilled: boolean;
}

const claims: (Claim & { readonly ms: number; readonly answeredAt: number })[] = [];
const closings: Closing[] = [];
const problems: string[] = [];
let actors = 0;
const over = new AbortController();

interface Answer {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  readonly content: unknown;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  return client.callTool({ name, arguments: args });
}

/** Claims, works and closes until the race is over. */
async function claimIssues(client: Client): Promise<void> {
  const actor = `agent-${(actors += 1)}`;
  while (!over.signal.aborted) {
    const began = performance.now();
    const answer = await call(client, "issue_claim", { actor });
    if (answer.isError === true) {
      const text = JSON.stringify(answer.content);
      if (!text.includes("no issue is ready")) problems.push(text);
      await delay(idleMs * (0.5 + Math.random()));
      continue;
    }
    const { issue, lease_until: end } = answer.structuredContent as { issue: { id: string }; lease_until: string };
    const [id, until] = [issue.id, Date.parse(end)];
    const answeredAt = performance.now();
    claims.push({ id, actor, at: until - leaseMs, until, ms: answeredAt - began, answeredAt });
    await delay(Math.random() * maxWorkMs);
    const closed = await call(client, "issue_close", { ids: [id] });
    if (closed.isError === true) problems.push(JSON.stringify(closed.content));
    else closings.push({ id, actor });
  }
}

async function startRacer(address: string): Promise<Racer> {
  const flags = ["--surface", "direct", "--results", "both", "--log-level", "info"];
  const server = await startHttp(["--store", address, "--config", config, "--workspace", workspace, ...flags]);
  return { server, isKilled: false };
}

/** Runs a server's claimers. Resolves when the race is over or the server is killed. */
async function runClaimers(racer: Racer): Promise<void> {
  const run = async (at: number) => {
    const client = await connectOverHttp(racer.server.url, undefined, at % 2 === 0 ? "modern" : "legacy");
    await claimIssues(client);
    await client.close();
  };
  const claimer = (at: number) =>
    run(at).catch((error: unknown) => {
      if (!racer.isKilled) problems.push(String(error));
    });
  await Promise.all(Array.from({ length: claimersPerServer }, (_, at) => claimer(at)));
}

/** Creates issues of which half depend on one or two earlier ones. */
async function fill(client: Client): Promise<void> {
  const batch = 100;
  const roots = 20;
  for (let made = 0; made < issueCount; made += batch) {
    const issues = Array.from({ length: batch }, (_, at) => {
      const depends = new Set(
        at < roots || at % 2 === 0 ? [] : [0, 1].map(() => `#${1 + Math.floor(Math.random() * at)}`),
      );
      return { title: `task ${made + at}`, priority: at % 5, depends: [...depends] };
    });
    const answer = await call(client, "issue_create", { issues });
    if (answer.isError === true) throw new Error(JSON.stringify(answer.content));
  }
}

/** Kills a random server each second while enough issues are open, and starts another for it. Returns the number of kills. */
async function race(address: string, store: OwnedStore): Promise<number> {
  const racers = await Promise.all(Array.from({ length: serverCount }, () => startRacer(address)));
  const running = new Set<Promise<void>>(racers.map(runClaimers));
  const openCount = async () => (await store.query(kind, { limit: 0 })).total;
  let kills = 0;
  let claimsBefore = 0;
  const began = performance.now();
  for (let open = issueCount; open > 0 && performance.now() - began < maxRaceMs; open = await openCount()) {
    await delay(killMs);
    if (open < serverCount * claimersPerServer || claims.length === claimsBefore) continue;
    claimsBefore = claims.length;
    const [victim] = racers.splice(Math.floor(Math.random() * racers.length), 1);
    if (victim === undefined) continue;
    victim.isKilled = true;
    await victim.server.kill();
    kills += 1;
    const next = await startRacer(address);
    racers.push(next);
    running.add(runClaimers(next));
  }
  over.abort();
  await Promise.all(running);
  await Promise.all(racers.map(({ server }) => server.close()));
  return kills;
}

async function readIssues(store: OwnedStore): Promise<readonly FinalIssue[]> {
  const issues: FinalIssue[] = [];
  for await (const { id, data } of everyRecord(store, kind, { includeClosed: true })) {
    const { status, closed_at: at, dependencies = [] } = data;
    const closedAt = status === "closed" && at !== undefined ? Date.parse(at) : undefined;
    issues.push({ id, closedAt, blockers: dependencies.map(({ depends_on_id: on }) => on) });
  }
  return issues;
}

async function openDatabase() {
  if (process.argv.includes("--postgres")) {
    const server = await startPostgres();
    const store = postgres(server.address, { workspace });
    return { name: "PostgreSQL", address: server.address, store, remove: () => server.remove() };
  }
  const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-race-"));
  const address = path.join(folder, "store.db");
  const remove = async () => rmSync(folder, { recursive: true });
  return { name: "SQLite", address, store: sqlite(address, { workspace }), remove };
}

/** Claims per second until nine of ten issues are claimed. Later, claimers wait for leases to end. */
function claimRate(): number {
  const first = claims.slice(0, issueCount * 0.9);
  const began = (first[0]?.answeredAt ?? 0) - (first[0]?.ms ?? 0);
  return first.length / (((first.at(-1)?.answeredAt ?? 0) - began) / 1_000);
}

const { name, address, store, remove } = await openDatabase();
const filler = await startRacer(address);
const client = await connectOverHttp(filler.server.url, undefined, "modern");
await fill(client);
await client.close();
await filler.server.close();
const kills = await race(address, store);
const issues = await readIssues(store);
const { once, takenOver, twice, lost } = judge({ claims, closings, issues });
const times = claims.map(({ ms }) => ms);
console.log(`${issues.length} issues, ${serverCount * claimersPerServer} claimers of ${serverCount} servers at a time`);
console.table([
  {
    store: name,
    kills,
    claimers: actors,
    once: once.length,
    "taken over": takenOver.length,
    twice: twice.length,
    lost: lost.length + issueCount - issues.length,
    "claims/s": claimRate().toFixed(0),
    "p50 ms": percentile(times, 0.5).toFixed(0),
    "p99 ms": percentile(times, 0.99).toFixed(0),
  },
]);
for (const problem of new Set(problems)) console.error(problem);
await store.end();
await remove();
process.exit(twice.length + lost.length + problems.length > 0 || issues.length !== issueCount ? 1 : 0);
