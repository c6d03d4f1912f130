import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { note, programCommand, startProgram, storedIds } from "@toolpacks/store-sql/fixture";
import { Client } from "pg";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { postgres } from "./index.ts";
import { startPostgres, type PostgresServer } from "./fixture/index.ts";

const load = new URL("./write-load.fixture.ts", import.meta.url);
const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;
const crashes = isCampaign ? 100 : 2;
const restarts = isCampaign ? (["stop", "kill", "stop"] as const) : (["stop", "kill"] as const);
const writerCount = isCampaign ? 4 : 2;
/** Records of each writer. */
const recordCount = isCampaign ? 500 : 50;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  return () => server.remove();
});

function writeLoad(address: string, writer: string, count: number) {
  return startProgram(programCommand(load, [address, writer, String(count)]));
}

/** Creates an empty database. */
async function createDatabase(name: string): Promise<string> {
  const client = new Client({ connectionString: server.address });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  await client.end();
  return Object.assign(new URL(server.address), { pathname: `/${name}` }).href;
}

test("several processes write many records each into one new database without loss", async () => {
  const address = await createDatabase("several_processes");
  const writers = Array.from({ length: writerCount }, (_, at) => writeLoad(address, `writer${at}`, recordCount));
  for (const { ended } of writers) expect(await ended).toEqual({ code: 0, stderr: "" });
  const acknowledged = writers.flatMap(({ lines }) => lines);
  expect(acknowledged).toHaveLength(writerCount * recordCount);

  const store = postgres(address);
  expect(await store.generation()).toBe(writerCount * recordCount);
  expect(await storedIds(store)).toEqual(new Set(acknowledged));
  expect((await store.query(note, { text: "writer1", limit: 0 })).total).toBe(recordCount);
  expect(await store.check()).toEqual([]);
  await store.end();
}, 120_000);

test(
  "a server that crashes and restarts during writes loses and repeats no acknowledged record, and no call fails",
  async () => {
    const address = await createDatabase("crashes");
    const writers = ["left", "right"].map((side) => writeLoad(address, side, 1_000_000));
    for (let crash = 1; crash <= crashes; crash += 1) {
      const before = writers.map(({ lines }) => lines.length);
      while (writers.some(({ lines }, at) => lines.length <= (before[at] ?? 0))) await wait(5);
      await wait(Math.random() * 200);
      await server.kill();
      await server.start();
    }
    for (const { process } of writers) process.kill("SIGKILL");
    for (const { ended } of writers) expect((await ended).stderr).toBe("");

    const store = postgres(address);
    const there = await storedIds(store);
    const acknowledged = writers.flatMap(({ lines }) => lines);
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
    // The last put of each writer may have been kept without word of it; one that was done twice would count twice.
    expect(there.size - acknowledged.length).toBeLessThanOrEqual(2);
    expect(await store.generation()).toBe(there.size);
    expect(await store.check()).toEqual([]);
    await store.end();
  },
  60_000 + crashes * 10_000,
);

test("a watcher hears of writes of other processes in order, and of the last one, while the server is restarted under load", async () => {
  const address = await createDatabase("watched");
  const watcher = postgres(address, { timeoutMs: 60_000 });
  const heard: number[] = [];
  const stop = await watcher.watch((generation) => heard.push(generation));
  const writers = ["left", "right"].map((side) => writeLoad(address, side, 1_000_000));
  for (const end of restarts) {
    await expect.poll(() => writers.every(({ lines }) => lines.length > 0), { timeout: 30_000 }).toBe(true);
    await wait(100);
    await server[end]();
    await server.start();
    const after = await watcher.generation();
    await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBeGreaterThan(after);
  }
  for (const { process } of writers) process.kill("SIGKILL");
  for (const { ended } of writers) expect((await ended).stderr).toBe("");
  await expect.poll(async () => heard.at(-1) === (await watcher.generation()), { timeout: 10_000 }).toBe(true);
  expect(heard).toEqual([...new Set(heard)].toSorted((one, other) => one - other));
  await stop();
  await watcher.end();
}, 120_000);

// Only root's PostgreSQL runs as another account.
test.skipIf(process.getuid?.() !== 0)(
  "a folder that PostgreSQL's account cannot reach is refused at once",
  async () => {
    const privateFolder = mkdtempSync(path.join(tmpdir(), "private-"));
    vi.stubEnv("TMPDIR", privateFolder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(privateFolder, { recursive: true });
    });
    await expect(startPostgres()).rejects.toThrow(
      /^PostgreSQL cannot be started for tests: .*nobody cannot reach .*private-.*; set TMPDIR to a folder/,
    );
    expect(readdirSync(privateFolder)).toEqual([]);
  },
  10_000,
);
