import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { OwnedStore } from "@toolpacks/core";
import { issueKind } from "@toolpacks/issues";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { afterAll, expect, test } from "vitest";
import { reportKind } from "../report/report-kind.ts";
import { effectKind, effects, jobKind } from "./clock-server.fixture.ts";
import { wakeupKind } from "./wakeup-kind.ts";

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] === "1";
const runs = isCampaign ? 200 : 12;
/** Interval between two kills, in ms. */
const killMs = isCampaign ? 1_000 : 600;
const maxKills = isCampaign ? Infinity : 4;
const servers = 3;
/** Maximum duration in ms. Each write to PostgreSQL takes long on a busy machine. */
const maxMs = isCampaign ? 1_800_000 : 120_000;
/** Time after which a question or an issue that is still open is answered again, in ms. */
const answerAgainMs = 3_000;
/** Maximum number of runs that have begun and not ended. Others begin as these end, so that runs do not wait for each other. */
const maxOpen = isCampaign ? 12 : runs;
/** Maximum number of questions and issues that are answered at once. */
const maxAnswers = 10;

const script = fileURLToPath(new URL("clock-server.fixture.ts", import.meta.url));
let database: Promise<TestDatabase> | undefined;
afterAll(async () => (await database)?.remove());

interface Place {
  readonly address: string;
  open(): OwnedStore;
}

const places: Readonly<Record<string, (folder: string) => Promise<Place>>> = {
  async SQLite(folder) {
    const address = path.join(folder, "store.db");
    return { address, open: () => sqlite(address) };
  },
  async PostgreSQL() {
    const { address } = await (database ??= createDatabase());
    return { address, open: () => postgres(address) };
  },
};

async function startServer(address: string, log: string): Promise<ChildProcess> {
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@toolpacks/source"];
  const child = spawn(process.execPath, [...flags, script, address, log], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin?.on("error", () => {});
  await once(child.stdout ?? child, "data");
  return child;
}

test.each(Object.entries(places))(
  "three servers on one store in %s of which one is killed from time to time lose no run, and do nothing twice",
  { timeout: maxMs + 60_000 },
  async (_name, create) => {
    const folder = mkdtempSync(path.join(tmpdir(), "clock-"));
    const log = path.join(folder, "log");
    const place = await create(folder);
    const { address } = place;
    const store = place.open();
    // Creates the tables, so that the servers do not race to do so.
    await store.put(jobKind, { name: "other" });
    const start = () => startServer(address, log);
    const alive: (ChildProcess | undefined)[] = await Promise.all(Array.from({ length: servers }, start));
    const starting = new Set<Promise<void>>();
    // A trigger begins with the first look of a clock.
    await wait(1_500);
    const began = performance.now();
    let kills = 0;
    const over = new AbortController();
    const killing = (async () => {
      while (!over.signal.aborted && kills < maxKills) {
        await wait(killMs);
        const running = alive.flatMap((one, at) => (one === undefined ? [] : [at]));
        const at = running[Math.floor(Math.random() * running.length)];
        // On a busy machine, servers start more slowly than they are killed.
        if (at === undefined || running.length === 1) continue;
        alive[at]?.kill("SIGKILL");
        alive[at] = undefined;
        kills += 1;
        const restarted = start().then((child) => void (alive[at] = child));
        starting.add(restarted);
      }
    })();
    let begun = 0;
    const beginRuns = async () => {
      const ended = await endedCount(store);
      for (; begun < Math.min(runs, ended + maxOpen); begun += 1) {
        await store.put(jobKind, { name: "work" }, { id: `job-${begun}` });
      }
    };
    /** When each question was answered last. The server may have been killed before it read the answer. */
    const answered = new Map<string, number>();
    const done = async () => (await store.query(effectKind, { limit: 0 })).total;
    while ((await done()) < runs * effects.length || (await leftOver(store)) > 0) {
      if (performance.now() - began > maxMs) break;
      await beginRuns();
      // Each question and each issue is answered by two servers at once.
      const now = performance.now();
      const due = (await openWork(store)).filter((line) => now - (answered.get(line) ?? -Infinity) > answerAgainMs);
      for (const [place, line] of due.slice(0, maxAnswers).entries()) {
        answered.set(line, now);
        for (const at of [place, place + 1]) alive[at % servers]?.stdin?.write(`${line}\n`);
      }
      await wait(200);
    }
    over.abort();
    await killing;
    await Promise.all(starting);
    const seconds = (performance.now() - began) / 1_000;
    for (const child of alive) {
      child?.kill("SIGKILL");
      if (child !== undefined) await once(child, "exit");
    }
    const { items } = await store.query(effectKind, { limit: 1_000, sort: ["job"] });
    const found = items.map(({ data: { job, step } }) => `${job} ${step}`).toSorted();
    const expected = Array.from({ length: runs }, (_, at) => effects.map((step) => `job-${at} ${step}`)).flat();
    expect(found).toEqual(expected.toSorted());
    expect((await store.query(reportKind, { filter: { status: "waiting" }, limit: 0 })).total).toBe(0);
    const issues = await store.query(issueKind(), { includeClosed: true, limit: 1_000 });
    const titles = issues.items.map(({ data }) => data.title).toSorted();
    const asked = Array.from({ length: runs }, (_, at) => [`Check job-${at}`, `Go on with job-${at}?`]).flat();
    expect(titles).toEqual(asked.toSorted());
    expect(issues.items.filter(({ closed }) => !closed)).toEqual([]);
    const lines = readFileSync(log, "utf8").trim().split("\n");
    const late = lines
      .filter((line) => line !== "-")
      .map(Number)
      .toSorted((a, b) => a - b);
    const p50 = late[Math.floor(late.length / 2)];
    console.log(
      `${_name}: ${runs} runs in ${seconds.toFixed(1)} s with ${kills} kills; ${lines.length} calls for ${found.length} effects; woken after p50 ${p50} ms, p95 ${late[Math.floor(late.length * 0.95)]} ms, max ${late.at(-1)} ms`,
    );
    await store.end();
    rmSync(folder, { recursive: true, force: true });
  },
);

/** What waits for a person. Half of the questions are answered twice: to the run, and by closing their gates. */
async function openWork(store: OwnedStore): Promise<readonly string[]> {
  const reports = await store.query(reportKind, { filter: { status: "waiting" }, limit: 200 });
  const asking = reports.items.filter(({ data: { reason } }) => reason?.startsWith("asks") === true);
  const open = await store.query(issueKind(), { limit: 200 });
  const isOdd = (title: string) => /[13579]\?$/.test(title);
  const closable = open.items.filter(({ data: { title, issue_type: type } }) => type !== "gate" || isOdd(title));
  return [...asking.map(({ id }) => `answer ${id}`), ...closable.map(({ id }) => `close ${id}`)];
}

/** The number of runs that have done their last step. Reports of old runs are removed. */
async function endedCount(store: OwnedStore): Promise<number> {
  return (await store.query(effectKind, { filter: { step: "last" }, limit: 0 })).total;
}

/** The number of runs that start or go on later. */
async function leftOver(store: OwnedStore): Promise<number> {
  return (await store.query(wakeupKind, { limit: 0 })).total;
}
