import { createPack, errorText, defineKind } from "@toolpacks/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { emptyStore, openBench, type Bench } from "../bench.fixture.ts";
import { workflowSources } from "../definition/workflow-source.ts";
import { startClock, type Clock } from "./clock.ts";
import { nextTime } from "./recurrence.ts";
import { triggerKind, wakeupKind } from "./wakeup-kind.ts";

const note = defineKind({ name: "note", schema: z.object({ text: z.string() }), indexes: ["text"] });
const notes = createPack({ name: "notes", description: "Notes.", budget: 1, kinds: [note], tools: async () => [] });

const minute = 60_000;
const open: { readonly bench: Bench; readonly clocks: Clock[] }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { bench, clocks } of open.splice(0)) {
    for (const clock of clocks) await clock.stop();
    for (const clock of clocks) await clock.idle();
    await bench.close();
  }
});

/** A bench, and clocks that start and wake its runs. */
async function openClocks(definitions: object, count = 1) {
  const store = emptyStore();
  const bench = await openBench({ store, definitions: definitions as never, more: [notes] });
  const problems: string[] = [];
  const call = (principal: string, args: object) =>
    bench.dispatcher.dispatch({ name: "workflow_run", args, context: { principal } });
  const start = (sources: object = definitions) =>
    startClock({
      store,
      sources: workflowSources.parse(sources),
      kinds: bench.dispatcher.kinds,
      call,
      onError: (message, cause) => problems.push(`${message}: ${errorText(cause)}`),
    });
  const clocks = Array.from({ length: count }, () => start());
  open.push({ bench, clocks });
  const triggers = Object.values(definitions).filter((one: { on?: unknown }) => one.on !== undefined).length;
  await expect.poll(async () => (await store.query(triggerKind, { limit: 0 })).total).toBe(triggers);
  const look = () => store.put(note, { text: "a change, after which clocks look" });
  return { bench, clocks, store, problems, start, look };
}

/** Sets the system clock to a time after now, in ms. */
function setClock(offset: number): void {
  const real = performance.timeOrigin + performance.now();
  const began = performance.now();
  vi.spyOn(Date, "now").mockImplementation(() => Math.round(real + offset + performance.now() - began));
}

const writes = ({ done }: Bench) => done.calls.filter((one) => one.startsWith("test_write"));
/** Resolves when nothing is left to do. */
const settled = async ({ store, look }: Awaited<ReturnType<typeof openClocks>>) => {
  await look();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await expect.poll(async () => (await store.query(wakeupKind, { limit: 0 })).total, { timeout: 10_000 }).toBe(0);
};

const everyTenMinutes = {
  tick: {
    on: [{ at: "FREQ=MINUTELY;INTERVAL=10", input: { from: "tick" } }],
    steps: [{ tool: "test_write", params: { value: "${input.event.time}" } }],
  },
};

describe("a workflow with a schedule", () => {
  test("runs once for each time, on one of three clocks, when the system clock jumps an hour forward and back", async () => {
    const place = await openClocks(everyTenMinutes, 3);
    await settled(place);
    expect(writes(place.bench)).toEqual([]);
    setClock(60 * minute);
    await settled(place);
    await expect.poll(() => writes(place.bench).length).toBe(6);
    setClock(0);
    await settled(place);
    setClock(60 * minute);
    await settled(place);
    expect(new Set(writes(place.bench)).size).toBe(6);
    expect(writes(place.bench)).toHaveLength(6);
    setClock(70 * minute);
    await settled(place);
    await expect.poll(() => writes(place.bench).length).toBe(7);
    expect(place.problems).toEqual([]);
  });

  test("runs for the last hundred times that were missed", async () => {
    const place = await openClocks(everyTenMinutes);
    setClock(60 * 24 * 20 * minute);
    await settled(place);
    await expect.poll(() => writes(place.bench).length, { timeout: 10_000 }).toBe(100);
  });

  test("is in a time zone, and passes over times that are none", () => {
    const at = "FREQ=DAILY;BYHOUR=9";
    expect(nextTime({ at, zone: "Europe/Berlin" }, "2027-03-27T12:00:00Z")).toBe("2027-03-28T07:00:00.000Z");
    expect(nextTime({ at, zone: "Europe/Berlin" }, "2027-03-26T12:00:00Z")).toBe("2027-03-27T08:00:00.000Z");
    expect(nextTime({ at: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }, "2027-01-01T00:00:00Z")).toBeUndefined();
  });

  test.each([
    [{ at: "FREQ=SOMETIMES" }, "workflows.wrong.on[0]: expected an RRULE such as FREQ=DAILY;BYHOUR=9"],
    [{ at: "FREQ=SECONDLY" }, "expected at most one time a minute"],
    [{ at: "FREQ=DAILY", zone: "Middle/Earth" }, "Invalid time zone"],
    [{ at: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }, "the schedule has no time"],
  ])("is refused with %j", async (on, problem) => {
    const bench = await openBench({ definitions: { wrong: { on: [on], steps: [{ tool: "test_noop" }] } } });
    open.push({ bench, clocks: [] });
    expect((await bench.call("workflow_run", { name: "wrong" })).text).toContain(problem);
  });
});

describe("a workflow that follows a kind of record", () => {
  const definitions = {
    follow: {
      on: [{ kind: "note", filter: { text: "wanted" } }],
      input: { event: "object", mark: "string?" },
      steps: [{ tool: "test_write", params: { value: "${input.event.id} ${input.event.closed}" } }],
    },
  };

  test("runs once for each change that matches, on one of three clocks", async () => {
    const place = await openClocks(definitions, 3);
    for (let at = 0; at < 10; at += 1) {
      await place.store.put(note, { text: at % 2 === 0 ? "wanted" : "other" }, { id: `n${at}` });
    }
    await settled(place);
    const created = [0, 2, 4, 6, 8].map((at) => `test_write "n${at} false"`);
    await expect.poll(() => writes(place.bench).toSorted()).toEqual(created);
    await place.store.close(note, "n4");
    await settled(place);
    await expect.poll(() => writes(place.bench).at(-1)).toBe('test_write "n4 true"');
    expect(writes(place.bench)).toHaveLength(6);
  });

  test("runs for the changes that were made while no clock was there", async () => {
    const place = await openClocks(definitions);
    await settled(place);
    await place.clocks.pop()?.stop();
    await place.store.put(note, { text: "wanted" }, { id: "meanwhile" });
    place.clocks.push(place.start());
    await expect.poll(() => writes(place.bench)).toEqual(['test_write "meanwhile false"']);
  });

  test("is reported once where no pack keeps such records", async () => {
    const wrong = { wrong: { on: [{ kind: "ghost" }], steps: [{ tool: "test_noop" }] } };
    const place = await openClocks(wrong);
    await place.look();
    await expect.poll(() => place.problems).toHaveLength(1);
    await place.look();
    expect(place.problems[0]).toContain("workflows.wrong.on cannot be used");
    expect(place.problems[0]).toContain("ghost");
  });
});

describe("a run that waits", () => {
  const definitions = {
    late: {
      steps: [{ ask: "Now?", deadline: "1h", fallback: [{ tool: "test_write", params: { value: "too late" } }] }],
    },
    pause: { steps: [{ wait: { for: "1h" } }, { tool: "test_write", params: { value: "after" } }] },
  };

  test("goes on once, at its time or deadline, also when the system clock jumps", async () => {
    const place = await openClocks(definitions, 3);
    const reports = [];
    for (const name of ["late", "pause"]) reports.push((await place.bench.call("workflow_run", { name })).value.report);
    await place.look();
    setClock(-60 * minute);
    await place.look();
    expect(writes(place.bench)).toEqual([]);
    setClock(61 * minute);
    await settled(place);
    await expect.poll(() => writes(place.bench).toSorted()).toEqual(['test_write "after"', 'test_write "too late"']);
    for (const report of reports) {
      expect((await place.bench.call("workflow_report", { report })).value["status"]).toBe("resumed");
    }
    setClock(0);
    await settled(place);
    expect(writes(place.bench)).toHaveLength(2);
  });

  test("still waits, and is tried again later, where its workflow has changed", async () => {
    const place = await openClocks(definitions);
    const { value } = await place.bench.call("workflow_run", { name: "pause" });
    const { data } = (await place.store.get(wakeupKind, String(value.report))) ?? {};
    expect(data?.due).toBeDefined();
    const other = await openBench({ store: place.store, definitions: { pause: { steps: [{ tool: "test_noop" }] } } });
    await place.clocks.pop()?.stop();
    const problems: string[] = [];
    const clock = startClock({
      store: place.store,
      sources: {},
      kinds: other.dispatcher.kinds,
      call: (principal, args) => other.dispatcher.dispatch({ name: "workflow_run", args, context: { principal } }),
      onError: (message) => problems.push(message),
    });
    place.clocks.push(clock);
    setClock(61 * minute);
    await place.look();
    await expect.poll(() => problems[0]).toContain("is defined otherwise than when the run began");
    const report = await place.bench.call("workflow_report", { report: value.report });
    expect(report.value["status"]).toBe("waiting");
    await other.client.close();
  });
});
