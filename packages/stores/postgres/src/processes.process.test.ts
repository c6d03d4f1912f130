import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { note, programCommand, startProgram, storedIds } from "@toolpacks/store-sql/fixture";
import { expect, onTestFinished, test, vi } from "vitest";
import { postgres } from "./index.ts";
import { createDatabase, startPostgres } from "./fixture/index.ts";

const load = new URL("./write-load.fixture.ts", import.meta.url);
const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;
const restarts = isCampaign ? 100 : 2;

function writeLoad(address: string, writer: string, count: number) {
  return startProgram(programCommand(load, [address, writer, String(count)]));
}

/** Only the campaign does what the next test does with fewer processes. */
test.skipIf(!isCampaign)(
  "four processes write many records each into one new database without loss",
  async () => {
    const database = await createDatabase();
    const { address } = database;
    onTestFinished(() => database.remove());
    const writers = Array.from({ length: 4 }, (_, at) => writeLoad(address, `writer${at}`, 500));
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, stderr: "" });
    const acknowledged = writers.flatMap(({ lines }) => lines);
    expect(acknowledged).toHaveLength(2_000);

    const store = postgres(address);
    expect(await store.generation()).toBe(2_000);
    expect(await storedIds(store)).toEqual(new Set(acknowledged));
    expect((await store.query(note, { text: "writer3", limit: 0 })).total).toBe(500);
    expect(await store.check()).toEqual([]);
    await store.end();
  },
  120_000,
);

test(
  "a server that crashes and restarts during writes of two processes loses and repeats no acknowledged record, no call fails, and a watcher hears of each write in order",
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    const watcher = postgres(server.address, { timeoutMs: 60_000 });
    const heard: number[] = [];
    const stop = await watcher.watch((generation) => heard.push(generation));
    const writers = ["left", "right"].map((side) => writeLoad(server.address, side, 1_000_000));
    for (let restart = 1; restart <= restarts; restart += 1) {
      const before = writers.map(({ lines }) => lines.length);
      while (writers.some(({ lines }, at) => lines.length <= (before[at] ?? 0))) await wait(5);
      await wait(Math.random() * 200);
      await server[restart % 4 === 2 ? "stop" : "kill"]();
      await server.start();
      const after = await watcher.generation();
      await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBeGreaterThan(after);
    }
    for (const { process } of writers) process.kill("SIGKILL");
    for (const { ended } of writers) expect((await ended).stderr).toBe("");
    await expect.poll(async () => heard.at(-1) === (await watcher.generation()), { timeout: 10_000 }).toBe(true);
    expect(heard).toEqual([...new Set(heard)].toSorted((one, other) => one - other));
    await stop();

    const there = await storedIds(watcher);
    const acknowledged = writers.flatMap(({ lines }) => lines);
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
    // The last put of each writer may have been kept without word of it; one that was done twice would count twice.
    expect(there.size - acknowledged.length).toBeLessThanOrEqual(2);
    expect(await watcher.generation()).toBe(there.size);
    expect(await watcher.check()).toEqual([]);
    await watcher.end();
  },
  60_000 + restarts * 10_000,
);

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
