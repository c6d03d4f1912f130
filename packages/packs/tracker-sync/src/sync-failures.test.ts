import { describe, expect, onTestFinished, test } from "vitest";
import { createPlace, differences, type Database, type SyncPlace, type SyncRun } from "./sync.fixture.ts";
import type { Fault, TrackerIssue } from "./tracker-pack.fixture.ts";

async function place(database?: Database, setting?: object): Promise<SyncPlace> {
  const made = await createPlace(database, setting);
  onTestFinished(() => made.end());
  return made;
}

const there = (count: number): TrackerIssue[] =>
  Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    title: `There ${at + 1}`,
    body: `Text ${at + 1}`,
    state: at % 5 === 0 ? "CLOSED" : "OPEN",
    labels: at % 3 === 0 ? ["bug"] : [],
  }));

/** A generator of whole numbers below a limit, the same at each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Runs the tool again and again, as a user does, until a run completes without a failure. */
async function syncUntilDone(at: SyncPlace): Promise<{ readonly runs: number; readonly last: SyncRun }> {
  for (let runs = 1; runs <= 20; runs += 1) {
    const last = await at.sync({ apply: true, create: true });
    const applied = last.report?.applied;
    if (applied !== undefined && applied.failures.length === 0 && applied.left === 0) {
      if (last.report?.notices.length === 0) return { runs, last };
    }
    await at.letTimePass();
  }
  throw new Error("the synchronization does not come to an end");
}

const creationFaults: readonly Fault[] = [
  { tool: "list", at: 2, kind: "limit", text: "403 API rate limit exceeded [rate reset in 20ms]" },
  { tool: "list", at: 9, kind: "die-before" },
  { tool: "create", at: 3, kind: "limit", text: "You have exceeded a secondary rate limit, retry after 20ms" },
  { tool: "create", at: 6, kind: "error" },
  { tool: "create", at: 9, kind: "error-after" },
  { tool: "create", at: 14, kind: "die-after" },
  { tool: "create", at: 20, kind: "kill-after" },
  { tool: "create", at: 25, kind: "kill-before" },
  { tool: "create", at: 33, kind: "die-before" },
  { tool: "get", at: 10, kind: "error" },
  { tool: "get", at: 15, kind: "kill-after" },
];

const updateFaults: readonly Fault[] = [
  { tool: "update", at: 5, kind: "limit", text: "HTTP 429: slow down" },
  { tool: "update", at: 10, kind: "error" },
  { tool: "update", at: 15, kind: "error-after" },
  { tool: "update", at: 20, kind: "die-after" },
  { tool: "update", at: 25, kind: "kill-after" },
  { tool: "update", at: 35, kind: "kill-before" },
  { tool: "get", at: 12, kind: "die-before" },
  { tool: "get", at: 33, kind: "kill-before" },
];

/** A field of an issue that one side has changed, and its value. */
interface Edit {
  readonly title: string;
  readonly field: "description" | "labels";
  readonly value: unknown;
}

/** Changes one field of many issues on either side. Of every tenth issue, both sides change the same field. */
async function editBoth(
  at: SyncPlace,
): Promise<{ readonly edits: readonly Edit[]; readonly conflicts: readonly string[] }> {
  const random = createRandom(7);
  const edits: Edit[] = [];
  const conflicts: string[] = [];
  const records = await at.here();
  const mine = new Map<string, object>();
  const theirs = new Map<string, object>();
  for (const [place, { id, title, external_ref: ref = "" }] of records.entries()) {
    const field = random(2) === 0 ? "description" : "labels";
    const value = (side: string) => (field === "labels" ? [`${side}-${place}`] : `${side} wrote ${place}`);
    const side = random(5);
    const isConflict = place % 10 === 0;
    if (isConflict) conflicts.push(`${title} ${field}`);
    if (isConflict || side === 0) mine.set(id, { [field]: value("here") });
    if (isConflict || side === 1)
      theirs.set(ref, field === "labels" ? { labels: value("there") } : { body: value("there") });
    if (!isConflict && side <= 1) edits.push({ title, field, value: value(side === 0 ? "here" : "there") });
  }
  for (const [id, patch] of mine) await at.editHere(id, patch);
  at.editThere(({ issues, faults }) => {
    for (const issue of issues) Object.assign(issue, theirs.get(`gh-${issue.number}`));
    faults.push(...updateFaults);
  });
  return { edits, conflicts };
}

/** The campaign runs it on PostgreSQL, too. */
const databases: readonly Database[] =
  process.env["TOOLPACKS_CAMPAIGN"] === undefined ? ["SQLite"] : ["SQLite", "PostgreSQL"];

describe.each(databases)("a synchronization of 380 issues on %s", (database) => {
  test(
    "loses and doubles nothing through rate limits, errors, ended servers and kills, and lists all conflicts",
    { timeout: 300_000 },
    async () => {
      const at = await place(database);
      at.editThere(({ issues, faults }) => {
        issues.push(...there(320));
        faults.push(...creationFaults);
      });
      for (let count = 1; count <= 60; count += 1) {
        await at.addHere({
          title: `Here ${count}`,
          description: `Text < ${count}`,
          labels: count % 2 === 0 ? ["b", "a"] : [],
        });
      }
      const created = await syncUntilDone(at);
      expect(at.faultsLeft()).toEqual([]);
      expect(created.runs).toBeGreaterThan(3);
      expect(at.there()).toHaveLength(380);
      expect(await at.here()).toHaveLength(380);
      expect(await differences(at)).toEqual([]);

      const { edits, conflicts } = await editBoth(at);
      expect(edits.length).toBeGreaterThan(100);
      const { last } = await syncUntilDone(at);
      expect(at.faultsLeft()).toEqual([]);
      const listed = last.report?.conflicts ?? [];
      expect(listed.map(({ issue, field }) => `${issue} ${field}`)).toHaveLength(conflicts.length);
      const byTitle = new Map((await at.here()).map((issue) => [issue.title, issue]));
      const theirs = new Map(at.there().map((issue) => [issue.title, issue]));
      for (const { title, field, value } of edits) {
        expect([title, byTitle.get(title)?.[field]]).toEqual([title, value]);
        expect([title, theirs.get(title)?.[field === "labels" ? "labels" : "body"]]).toEqual([title, value]);
      }
      // Only the fields in conflict differ, and each side has kept its own.
      expect(await differences(at)).toHaveLength(2 * conflicts.length);
      for (const { here, there: other } of listed)
        expect([String(here), String(other)]).toEqual([
          expect.stringMatching(/^here/),
          expect.stringMatching(/^there/),
        ]);
      expect(at.there()).toHaveLength(380);
      expect(await at.here()).toHaveLength(380);
    },
  );
});

describe("a rate limit", () => {
  test("stops the run with what is left, and the next run goes on", async () => {
    const at = await place();
    for (let count = 1; count <= 6; count += 1) await at.addHere({ title: `Here ${count}` });
    at.editThere(({ faults }) =>
      faults.push({ tool: "create", at: 4, kind: "limit", text: "rate limit exceeded: reset in 10m" }),
    );
    const { report } = await at.sync({ apply: true, create: true });
    expect(report?.applied).toMatchObject({
      done: 3,
      left: 3,
      failures: [],
      stopped: expect.stringContaining("rate limit"),
    });
    expect(await at.sync({ apply: true, create: true })).toMatchObject({ report: { applied: { done: 3 } } });
    expect(at.there()).toHaveLength(6);
  });

  test("in the middle of a list changes nothing, and nothing looks deleted", async () => {
    const at = await place();
    at.editThere(({ issues, faults }) => {
      issues.push(...there(250));
      faults.push({ tool: "list", at: 3, kind: "limit", text: "rate limit exceeded, retry after 3600" });
    });
    const { text } = await at.sync({ apply: true });
    expect(text).toMatch(/rate limit exceeded[^]*Nothing was changed/);
    expect(await at.here()).toEqual([]);
  });
});

describe("a creation whose answer is lost", () => {
  test("is not repeated while the tracker's list may not have it, and then is", async () => {
    const at = await place();
    const id = await at.addHere({ title: "Once" });
    at.editThere(({ faults }) => faults.push({ tool: "create", at: 1, kind: "die-before" }));
    expect(await at.sync({ apply: true, create: true })).toMatchObject({
      report: { applied: { failures: [{ issue: id }] } },
    });
    const { report } = await at.sync({ apply: true, create: true });
    expect(report).toMatchObject({
      changes: [],
      notices: [{ issue: id, problem: expect.stringContaining("run again") }],
    });
    await at.letTimePass();
    await at.sync({ apply: true, create: true });
    expect(at.there()).toHaveLength(1);
  });

  test("is found by its title, and not guessed among several", async () => {
    const at = await place();
    const id = await at.addHere({ title: "Once" });
    at.editThere(({ faults }) => faults.push({ tool: "create", at: 1, kind: "die-after" }));
    await at.sync({ apply: true, create: true });
    at.editThere(({ issues }) => issues.push({ number: 2, title: "Once", state: "OPEN" }));
    const { report } = await at.sync({ apply: true, create: true });
    expect(report?.changes).toEqual([]);
    expect(report?.notices).toEqual([
      { issue: id, problem: expect.stringContaining("gh-1, gh-2: set its external_ref") },
    ]);
    await at.editHere(id, { external_ref: "gh-1" });
    await at.sync({ apply: true, create: true });
    expect((await at.here()).map(({ external_ref: ref }) => ref)).toEqual(["gh-1", "gh-2"]);
    expect(at.there()).toHaveLength(2);
  });
});

test("a second synchronization at a time is refused, so that each issue is created once", async () => {
  const at = await place();
  at.editThere(({ issues }) => issues.push(...there(40)));
  for (let count = 1; count <= 10; count += 1) await at.addHere({ title: `Here ${count}` });
  const both = await Promise.all([at.sync({ apply: true, create: true }), at.sync({ apply: true, create: true })]);
  expect(both.filter(({ text }) => text.startsWith("conflict: tracker is synchronized by another call"))).toHaveLength(
    1,
  );
  expect(at.there()).toHaveLength(50);
  expect(await at.here()).toHaveLength(50);
  expect(await differences(at)).toEqual([]);
});

test("a server that does not answer stops the run", async () => {
  const at = await place();
  for (let count = 1; count <= 8; count += 1) await at.addHere({ title: `Here ${count}` });
  at.editThere(({ faults }) =>
    faults.push(...[1, 2, 3].map((call): Fault => ({ tool: "create", at: call, kind: "die-before" }))),
  );
  const { report } = await at.sync({ apply: true, create: true });
  expect(report?.applied).toMatchObject({ done: 0, left: 5, stopped: "tracker did not answer 3 times in a row" });
});
