import { readFileSync } from "node:fs";
import { type Kind, ToolError } from "@toolpacks/core";
import { everyRecord, keepVersions, type RecordVersion } from "@toolpacks/store";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bruteForce } from "./brute-force.fixture.ts";
import { converse, everyItem, type Conversation } from "./conversation.fixture.ts";
import { generateIssues, type GeneratedIssue } from "./generate-issues.fixture.ts";
import { issueKind } from "./issue-kind.ts";
import { perform, randomOperation } from "./random-operations.fixture.ts";
import { realIssues } from "./real-issues.fixture.ts";
import { databases, type TestDatabase } from "./stores.fixture.ts";
import { exportIssues, importIssues } from "./tracker.ts";

const kind = issueKind();

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;
/** Number of random operations on each set of issues. */
const operationCount = isCampaign ? 1_000 : 80;

const readLines = () =>
  readFileSync(realIssues ?? "", "utf8")
    .split("\n")
    .filter((line) => line !== "");
const parse = (line: string) => JSON.parse(line) as GeneratedIssue;
const byId = (a: GeneratedIssue, b: GeneratedIssue) => (a.id < b.id ? -1 : 1);

/** Ids sorted by age, oldest first, as an import orders them. */
function inAge(issues: readonly GeneratedIssue[]): readonly string[] {
  const time = ({ created_at: at }: GeneratedIssue) => Date.parse(String(at));
  return issues.toSorted((a, b) => time(a) - time(b)).map(({ id }) => id);
}

/** Compares the tools' lists with the brute-force result. */
async function compare(conversation: Conversation, lines: AsyncIterable<string>, ages: readonly string[]) {
  const issues: GeneratedIssue[] = [];
  for await (const line of lines) issues.push(parse(line));
  const { ready, blocked } = bruteForce(issues, new Date());
  const age = new Map(ages.map((id, at) => [id, at]));
  const priority = new Map(issues.map((issue) => [issue.id, issue.priority]));
  const order = (a: string, b: string) =>
    (priority.get(a) ?? 0) - (priority.get(b) ?? 0) || (age.get(a) ?? 0) - (age.get(b) ?? 0);
  expect((await everyItem(conversation, "issue_ready", { where: { assignee: "any" } })).map(({ id }) => id)).toEqual(
    [...ready].sort(order),
  );
  const listed = await everyItem(conversation, "issue_blocked");
  expect(listed.map(({ id }) => id)).toEqual([...blocked.keys()].sort(order));
  for (const { id, blocked_by: by = [] } of listed)
    expect(by).toEqual(expect.arrayContaining([...(blocked.get(id)?.all ?? [])]));
  const counts = new Map<string, Set<string>>();
  for (const { id, dependencies = [] } of issues) {
    for (const { depends_on_id: target } of dependencies) counts.set(target, (counts.get(target) ?? new Set()).add(id));
  }
  const blocks = new Map<string, number>();
  for (const id of [...blocked.values()].flatMap(({ direct }) => [...direct]))
    blocks.set(id, (blocks.get(id) ?? 0) + 1);
  const all = await everyItem(conversation, "issue_list", { where: { status: "all" }, limit: 1_000 });
  for (const item of all as readonly { id: string; blockers?: number; blocks?: number }[]) {
    const { id, blockers: isBlockedBy = 0, blocks: isBlocking = 0 } = item;
    expect([id, isBlockedBy, isBlocking]).toEqual([id, blocked.get(id)?.all.size ?? 0, blocks.get(id) ?? 0]);
  }
  for await (const { id, data } of everyRecord(conversation.store, kind, { includeClosed: true })) {
    const { dependents, blockerCount, blockedCount } = data.graph ?? {};
    const expected = [counts.get(id)?.size ?? 0, blocked.get(id)?.all.size ?? 0, blocks.get(id) ?? 0];
    expect([id, dependents, blockerCount, blockedCount]).toEqual([id, ...expected]);
  }
}

describe.each(Object.keys(databases))("on %s", (name) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = (await databases[name]?.()) as TestDatabase;
  });
  afterAll(() => database.remove());

  const campaign = async (workspace: string, lines: readonly string[]) => {
    const store = database.open(workspace);
    const conversation = converse(store);
    const issues = lines.map(parse);
    const imported = await importIssues({ store, kind }, lines);
    expect(imported).toEqual({ added: lines.length, updated: 0, unchanged: 0, bad: [] });
    const exported: GeneratedIssue[] = [];
    for await (const line of exportIssues({ store, kind })) exported.push(parse(line));
    expect(exported).toEqual(issues.toSorted(byId));
    const ages = [...inAge(issues)];
    await compare(conversation, exportIssues({ store, kind }), ages);
    expect(await importIssues({ store, kind }, lines)).toEqual({
      added: 0,
      updated: 0,
      unchanged: lines.length,
      bad: [],
    });

    let done = 0;
    const [operations = []] = fc.sample(
      fc.array(randomOperation, { minLength: operationCount, maxLength: operationCount, size: "max" }),
      {
        numRuns: 1,
        seed: 11,
      },
    );
    for (const [at, operation] of operations.entries()) {
      done += Number(await perform(conversation, operation, ages));
      if (at % 200 === 199) await compare(conversation, exportIssues({ store, kind }), ages);
    }
    // A campaign whose operations are nearly all rejected proves nothing.
    expect(done).toBeGreaterThan(0.4 * operationCount);
    await store.end();
  };

  // In PostgreSQL they take a minute.
  test.skipIf(realIssues === undefined || (name === "PostgreSQL" && !isCampaign))(
    "2,131 real issues are imported and exported unchanged, and match the brute-force readiness, also after random operations",
    () => campaign("real", readLines()),
    300_000,
  );

  test(
    "generated issues are too",
    () =>
      campaign(
        "generated",
        generateIssues({ count: operationCount, dependencies: operationCount * 1.5, seed: 3 }).map((issue) =>
          JSON.stringify(issue),
        ),
      ),
    300_000,
  );
});

/** False if a rule refuses a write. @throws any other error */
function refused(error: unknown): boolean {
  if (ToolError.is(error)) return false;
  throw error;
}

/** Number of generated graphs for each store. */
const graphCount = isCampaign ? 1_000 : 20;

const anyStatus = fc.constantFrom(
  "open",
  "open",
  "open",
  "in_progress",
  "blocked",
  "deferred",
  "closed",
  "tombstone",
  "pinned",
);
const anyType = fc.constantFrom("blocks", "conditional-blocks", "waits-for", "parent-child", "parent-child", "related");
const anyMetadata = fc.constantFrom(undefined, "", "{}", '{"gate":"all-children"}', '{"gate":"any-children"}', "{");

/** Fields of a gate, or of none. */
const anyGate = fc.constantFrom(
  {},
  {},
  {},
  { issue_type: "gate" },
  { issue_type: "gate", await_type: "gh:pr", await_id: "12" },
  { issue_type: "gate", await_type: "timer", await_until: "2020-05-05T00:00:00+02:00" },
  { issue_type: "gate", await_type: "timer", await_until: "2099-05-05T00:00:00Z" },
);

/** Issues of one graph, with dependencies of every type among them. */
const anyGraph = fc.array(
  fc.record({
    status: anyStatus,
    defer: fc.boolean(),
    gate: anyGate,
    on: fc.array(fc.tuple(fc.nat(7), anyType, anyMetadata), { maxLength: 3 }),
  }),
  { minLength: 2, maxLength: 8 },
);

describe.each(Object.keys(databases))("on %s", (name) => {
  test(`${graphCount} generated graphs with dependencies of every type match the brute-force readiness`, async () => {
    const database = (await databases[name]?.()) as TestDatabase;
    let run = 0;
    let waiting = 0;
    await fc.assert(
      fc.asyncProperty(anyGraph, async (graph) => {
        const store = database.open(`graph${(run += 1)}`);
        const lines = graph.map(({ status, defer, gate, on }, at) => {
          const created_at = new Date(Date.UTC(2026, 0, 1 + at)).toISOString();
          const targets = new Map(on.filter(([to]) => to !== at && to < graph.length).map((one) => [one[0], one]));
          const dependencies = [...targets.values()].map(([to, type, metadata]) => ({
            issue_id: `g-${at}`,
            depends_on_id: `g-${to}`,
            type,
            created_at,
            ...(type === "waits-for" && metadata !== undefined && { metadata }),
          }));
          return JSON.stringify({
            id: `g-${at}`,
            title: `issue ${at}`,
            status,
            priority: at % 5,
            created_at,
            ...gate,
            ...(defer && at % 4 === 0 && { defer_until: "2099-05-05T00:00:00Z" }),
            dependencies,
          });
        });
        await importIssues({ store, kind }, lines);
        const ids = lines.map((_, at) => `g-${at}`);
        await compare(converse(store), exportIssues({ store, kind }), ids);
        for await (const { data } of everyRecord(store, kind)) waiting += data.graph?.waits?.length ?? 0;
        await store.end();
      }),
      { numRuns: graphCount, seed: 7 },
    );
    expect(waiting).toBeGreaterThan(graphCount / 4);
    await database.remove();
  }, 600_000);
});

test("short sequences of operations on a few issues, and earlier states that are put back, match the brute-force readiness", async () => {
  const database = (await databases["SQLite"]?.()) as TestDatabase;
  let [run, restored] = [0, 0];
  /** An operation, and then perhaps an earlier state to put back. */
  const step = fc.tuple(randomOperation, fc.option(fc.nat(), { freq: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const store = database.open(`run${(run += 1)}`);
      const conversation = converse(store);
      const ids: string[] = [];
      const { items } = await conversation.value("issue_create", {
        issues: [
          { title: "a" },
          { title: "b", parent: "#1" },
          { title: "c", depends: ["#1"] },
          { title: "d", parent: "#3" },
        ],
      });
      ids.push(...(items as readonly { id: string }[]).map(({ id }) => id));
      const earlier: RecordVersion[] = [];
      const keep = async (versions: readonly RecordVersion[]) => void earlier.push(...versions);
      for (const [operation, chosen] of steps) {
        await keepVersions(keep, () => perform(conversation, operation, ids));
        const { id = "", before = null } = earlier[(chosen ?? 0) % earlier.length] ?? {};
        if (chosen === null || before === null) continue;
        const back = store.put(kind as Kind, before.data, { id, closed: before.closed, rules: "restore" });
        restored += Number(await back.then(() => true, refused));
      }
      await compare(conversation, exportIssues({ store, kind }), ids);
      await store.end();
    }),
    { numRuns: 60, seed: 5 },
  );
  expect(restored).toBeGreaterThan(100);
  await database.remove();
}, 300_000);
