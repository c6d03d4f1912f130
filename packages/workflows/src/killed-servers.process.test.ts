import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  createCatalog,
  createDispatcher,
  definePack,
  defineTool,
  type Dispatcher,
  type Outcome,
  type OwnedStore,
} from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi, afterAll } from "vitest";
import { z } from "zod";
import { everyLine, logDispatcher } from "./killed-run.fixture.ts";
import { everyCall, everyWrite, scriptDispatcher, whens } from "./killed-script.fixture.ts";
import { owner } from "./report/owner.ts";
import { reportKind } from "./report/report-kind.ts";
import { workflows } from "./workflows.ts";
import { issueKind } from "@toolpacks/issues";
import { effectKind, effects, jobKind } from "./clock/clock-server.fixture.ts";
import { wakeupKind } from "./clock/wakeup-kind.ts";

const script = fileURLToPath(new URL("./killed-run.fixture.ts", import.meta.url));
const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;
let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
  return () => server.remove();
});

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "resumed-elsewhere-"));
  log = path.join(folder, "log");
});
afterEach(() => rmSync(folder, { recursive: true }));

const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);

/** Runs the program in a process of its own. Resolves to how it ended, and to the outcome that it printed. */
async function runProgram(address: string, killAt: string, ...resume: string[]) {
  return runFile(script, address, log, killAt, ...resume);
}

async function runFile(file: string, ...given: string[]) {
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@toolpacks/source"];
  const args = [...flags, file, ...given];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [output, [, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { signal: signal as unknown, outcome: output === "" ? undefined : (JSON.parse(output) as Outcome) };
}

/** The last report. */
async function lastReport(store: OwnedStore) {
  const { items } = await store.query(reportKind, { sort: ["-started"], limit: 1 });
  if (items[0] === undefined) throw new Error("there is no report");
  return items[0];
}

/** The campaign kills before each line. A normal run: in a loop. */
const killedAt = isCampaign ? everyLine.map((_, at) => at) : [3];

describe("a run whose process was killed", () => {
  test.each(killedAt.map((at) => [at, everyLine[at] ?? ""] as const))(
    "after %i steps has them in its report, and is resumed with %s",
    async (before, line) => {
      const database = path.join(folder, "store.db");
      expect(await runProgram(database, line)).toMatchObject({ signal: "SIGKILL" });
      expect(linesOf(log)).toEqual(everyLine.slice(0, before));

      const store = sqlite(database);
      const dispatcher = logDispatcher(store, log);
      const call = async (name: string, args: object) => {
        const outcome = await dispatcher.dispatch({ name, args });
        if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
        return outcome.value as Record<string, unknown> & { steps?: { step: string; status: string }[] };
      };
      const left = await call("workflow_report", {});
      expect(left["status"]).toBe("interrupted");
      const calls = left.steps?.filter(({ step }) => !["each", "both"].includes(step)) ?? [];
      expect(calls.map(({ status }) => status)).toEqual(everyLine.slice(0, before).map(() => "ok"));

      // Another process has the same number, on a machine of the same name: the run counts as running while its heartbeats are new.
      const { id, data } = await lastReport(store);
      const [name = ""] = data.owner.host.split(" ");
      if (process.platform === "linux") expect(data.owner.host).toContain(readlinkSync("/proc/self/ns/pid"));
      const elsewhere = { ...data.owner, host: `${name} another-boot pid:[1]` };
      await store.put(reportKind, { owner: elsewhere, heartbeat: new Date().toISOString() }, { id, patch: true });
      await expect(call("workflow_run", { resume: id })).rejects.toThrow("conflict");
      await store.put(reportKind, { heartbeat: new Date(Date.now() - 61_000).toISOString() }, { id, patch: true });
      const resumed = await call("workflow_run", { resume: left["report"] });
      expect(resumed).toMatchObject({ status: "ok", result: { line: everyLine.at(-1) } });
      expect(linesOf(log)).toEqual(everyLine);
      expect(await call("workflow_report", { report: left["report"] })).toMatchObject({
        status: "interrupted",
        resumedBy: resumed["report"],
      });
      expect(await call("workflow_report", {})).toMatchObject({ resumes: left["report"], status: "ok" });
      await store.end();
    },
  );
});

test("a run whose replica was killed, while it resumed another, is resumed by one of several that try at the same time", async () => {
  expect(await runProgram(server.address, everyLine[1] ?? "")).toMatchObject({ signal: "SIGKILL" });
  const store = postgres(server.address);
  const first = await lastReport(store);
  expect(await runProgram(server.address, everyLine[3] ?? "", first.id)).toMatchObject({ signal: "SIGKILL" });
  const second = await lastReport(store);
  const args = { resume: first.id };
  expect(await logDispatcher(store, log).dispatch({ name: "workflow_run", args })).toMatchObject({
    ok: false,
    failure: { code: "conflict" },
  });
  const here = logDispatcher(store, log).dispatch({ name: "workflow_run", args: { resume: second.id } });
  const others = Array.from({ length: isCampaign ? 2 : 1 }, () => runProgram(server.address, "", second.id));
  const outcomes = [await here, ...(await Promise.all(others)).map(({ outcome }) => outcome)];
  expect(outcomes.filter((one) => one?.ok)).toHaveLength(1);
  for (const one of outcomes) if (one?.ok === false) expect(one.failure.code).toBe("conflict");
  expect(linesOf(log)).toEqual(everyLine);
  expect((await store.get(reportKind, second.id))?.data.resumedBy).toBe((await lastReport(store)).id);
  await store.end();
});

const codeScript = fileURLToPath(new URL("./killed-script.fixture.ts", import.meta.url));
/** The campaign kills at each call, before and after its effect, on both stores. */
const kills = isCampaign
  ? ["SQLite", "PostgreSQL"].flatMap((kind) =>
      everyCall.flatMap((at) => whens.map((when) => [kind, at, when] as const)),
    )
  : ([["PostgreSQL", "6", "before"]] as const);

test.each(kills)(
  "a script on %s whose process is killed at its call %s, %s its effect, has each effect once",
  async (kind, at, when) => {
    const address = kind === "SQLite" ? path.join(folder, "store.db") : server.address;
    expect(await runFile(codeScript, address, log, at, when)).toMatchObject({ signal: "SIGKILL" });
    const store = kind === "SQLite" ? sqlite(address) : postgres(address);
    const dispatcher = scriptDispatcher(store, log);
    const call = async (args: object) => {
      const outcome = await dispatcher.dispatch({ name: "workflow_run", args });
      if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
      return outcome.value as {
        report: string;
        status: string;
        result?: unknown;
        waits?: { step: string; question: string }[];
      };
    };
    let resumed = await call({ resume: (await lastReport(store)).id });
    // A read is made again. A write is asked about, and those beside it that had begun, too.
    while (resumed.status === "waiting") {
      const [{ step, question } = { step: "", question: "" }] = resumed.waits ?? [];
      const line = /"line":"(\d+)"/.exec(question)?.[1] ?? "";
      const answer = linesOf(log).includes(line) ? "skip" : "repeat";
      resumed = await call({ resume: resumed.report, answer, step });
    }
    expect(resumed).toMatchObject({ status: "ok", result: 6 });
    expect(linesOf(log).toSorted()).toEqual(everyWrite.toSorted());
    await store.end();
  },
);

/** Calls the tools of a pack and a workflow of a tool that waits, between two that write lines. */
function waitingDispatcher(store: OwnedStore, waiting: () => Promise<void>): Dispatcher {
  const tool = (name: string, run: () => Promise<void>) =>
    defineTool({
      name,
      description: `${name}.`,
      mutates: name !== "log_wait",
      input: z.object({}),
      output: z.object({}),
      handler: async () => {
        await run();
        appendFileSync(log, `${name}\n`);
        return {};
      },
    });
  const pack = definePack({
    name: "log",
    description: "Writes lines.",
    budget: 300,
    tools: () => [tool("log_first", async () => {}), tool("log_wait", waiting), tool("log_last", async () => {})],
  });
  const definitions = { paused: { steps: ["log_first", "log_wait", "log_last"].map((name) => ({ tool: name })) } };
  return createDispatcher(createCatalog({ packs: [pack(), workflows({ store, definitions })] }));
}

test("a replica that was stopped for minutes changes nothing more in a run that another one has resumed", async () => {
  const [here, elsewhere] = [postgres(server.address), postgres(server.address)];
  const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
  const stopped = waitingDispatcher(here, () => woken);
  const running = stopped.dispatch({ name: "workflow_run", args: { name: "paused" } });
  await expect.poll(async () => (await here.query(reportKind, { limit: 0 })).total).toBeGreaterThan(0);
  await expect.poll(async () => (await lastReport(here)).data.workflow).toBe("paused");
  await wait(100);
  const { id } = await lastReport(here);
  // To the other replica, this run is of a machine that has been silent for two minutes.
  const silent = { owner: { ...owner, host: "stopped", process: "stopped" } };
  await here.put(
    reportKind,
    { ...silent, heartbeat: new Date(Date.now() - 120_000).toISOString() },
    { id, patch: true },
  );
  const other = waitingDispatcher(elsewhere, async () => {});
  const resumed = await other.dispatch({ name: "workflow_run", args: { resume: id } });
  expect(resumed).toMatchObject({ ok: true });
  expect(linesOf(log)).toEqual(["log_first", "log_wait", "log_last"]);

  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 120_000);
  wake();
  const outcome = await running.finally(() => clock.mockRestore());
  expect(linesOf(log)).toEqual(["log_first", "log_wait", "log_last", "log_wait"]);
  expect(JSON.stringify(outcome)).toContain("another server has resumed the run");
  // Its claim is still there, so that no third replica resumes it.
  expect((await here.get(reportKind, id))?.data).toMatchObject({
    status: "interrupted",
    resumedBy: expect.any(String),
  });
  await here.end();
  await elsewhere.end();
});

const runs = isCampaign ? 200 : 12;
/** Interval between two kills, in ms. */
const killMs = isCampaign ? 1_000 : 600;
const maxKills = isCampaign ? Infinity : 1;
const servers = 3;
/** Maximum duration in ms. Each write to PostgreSQL takes long on a busy machine. */
const maxMs = isCampaign ? 1_800_000 : 120_000;
/** Time after which a question or an issue that is still open is answered again, in ms. */
const answerAgainMs = 3_000;
/** Maximum number of runs that have begun and not ended. Others begin as these end, so that runs do not wait for each other. */
const maxOpen = isCampaign ? 12 : runs;
/** Maximum number of questions and issues that are answered at once. */
const maxAnswers = 10;

const clockServer = fileURLToPath(new URL("./clock/clock-server.fixture.ts", import.meta.url));
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
  const child = spawn(process.execPath, [...flags, clockServer, address, log], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin?.on("error", () => {});
  await once(child.stdout ?? child, "data");
  return child;
}

// The servers on one file share it as those on one database do.
test.each(Object.entries(places).filter(([name]) => isCampaign || name === "PostgreSQL"))(
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
