import { spawn } from "node:child_process";
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
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { everyLine, logDispatcher } from "./killed-run.fixture.ts";
import { owner } from "./report/owner.ts";
import { reportKind } from "./report/report-kind.ts";
import { workflows } from "./workflows.ts";

const script = fileURLToPath(new URL("./killed-run.fixture.ts", import.meta.url));
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
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@toolpacks/source"];
  const args = [...flags, script, address, log, killAt, ...resume];
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

describe("a run whose process was killed", () => {
  test.each(everyLine.map((line, at) => [at, line] as const))(
    "after %i steps has them in its report, and is resumed with %s",
    async (before, line) => {
      const database = path.join(folder, "store.db");
      expect(await runProgram(database, line)).toMatchObject({ signal: "SIGKILL" });
      expect(linesOf(log)).toEqual(everyLine.slice(0, before));

      const store = sqlite(database);
      const dispatcher = logDispatcher(store, log);
      const call = async (name: string, args: object) => {
        const outcome = await dispatcher.dispatch({ name, args });
        if (!outcome.ok) throw new Error(outcome.failure.message);
        return outcome.value as Record<string, unknown> & { steps?: { step: string; status: string }[] };
      };
      const left = await call("workflow_report", {});
      expect(left["status"]).toBe("interrupted");
      const calls = left.steps?.filter(({ step }) => !["each", "both"].includes(step)) ?? [];
      expect(calls.map(({ status }) => status)).toEqual(everyLine.slice(0, before).map(() => "ok"));

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

describe("a run whose replica was killed", () => {
  test.each([1, 4])("after %i steps is resumed by one of three replicas that try at the same time", async (before) => {
    expect(await runProgram(server.address, everyLine[before] ?? "")).toMatchObject({ signal: "SIGKILL" });
    const store = postgres(server.address);
    const { id } = await lastReport(store);
    const ended = await Promise.all([1, 2, 3].map(() => runProgram(server.address, "", id)));
    const outcomes = ended.map(({ outcome }) => outcome);
    expect(outcomes.filter((one) => one?.ok)).toHaveLength(1);
    for (const one of outcomes) if (one?.ok === false) expect(one.failure.code).toBe("conflict");
    expect(linesOf(log)).toEqual(everyLine);
    expect((await store.get(reportKind, id))?.data.resumedBy).toBe((await lastReport(store)).id);
    await store.end();
  });

  test("while it resumed another run can be resumed from there", async () => {
    await runProgram(server.address, everyLine[1] ?? "");
    const store = postgres(server.address);
    const first = await lastReport(store);
    expect(await runProgram(server.address, everyLine[3] ?? "", first.id)).toMatchObject({ signal: "SIGKILL" });
    const second = await lastReport(store);
    expect(await runProgram(server.address, "", first.id)).toMatchObject({
      outcome: { ok: false, failure: { code: "conflict" } },
    });
    expect(await runProgram(server.address, "", second.id)).toMatchObject({ outcome: { ok: true } });
    expect(linesOf(log)).toEqual(everyLine);
    await store.end();
  });
});

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

test("a run of a process with the same number on a machine of the same name counts as running while its heartbeats are new", async () => {
  const store = postgres(server.address);
  await runProgram(server.address, everyLine[1] ?? "");
  const { id, data } = await lastReport(store);
  const [name = ""] = data.owner.host.split(" ");
  if (process.platform === "linux") expect(data.owner.host).toContain(readlinkSync("/proc/self/ns/pid"));
  const elsewhere = { ...data.owner, host: `${name} another-boot pid:[1]` };
  const dispatcher = logDispatcher(store, log);
  const resume = () => dispatcher.dispatch({ name: "workflow_run", args: { resume: id } });
  await store.put(reportKind, { owner: elsewhere, heartbeat: new Date().toISOString() }, { id, patch: true });
  expect(await resume()).toMatchObject({ ok: false, failure: { code: "conflict" } });
  await store.put(reportKind, { heartbeat: new Date(Date.now() - 61_000).toISOString() }, { id, patch: true });
  expect(await resume()).toMatchObject({ ok: true });
  await store.end();
});
