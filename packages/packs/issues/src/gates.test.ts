import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { issueKind } from "./issue-kind.ts";
import { importIssues } from "./tracker.ts";
import { converse, type Conversation } from "./conversation.fixture.ts";

let store: OwnedStore;
let talk: Conversation;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "issues-"));
  store = sqlite(path.join(folder, "store.db"));
  talk = converse(store, { actor: "ann" });
  return async () => {
    vi.useRealTimers();
    await store.end();
    rmSync(folder, { recursive: true });
  };
});

/** Creates a gate and an issue that depends on it. */
const createGate = (fields: object) =>
  talk.ask("issue_create", {
    issues: [
      { title: "Which region?", issue_type: "gate", id: "g", ...fields },
      { title: "deploy", id: "work", depends: ["#1"] },
    ],
  });

describe("an issue is held back", () => {
  test("until a person answers, and issue_ready names the gate", async () => {
    await createGate({ await_id: "Mrs. Okafor", deadline: "2099-01-31T09:00:00Z" });
    expect(await talk.ask("issue_ready", {})).toBe(
      [
        "none",
        "Gates, to be closed with the answer as the reason:",
        "g waits for Mrs. Okafor, deadline 2099-01-31T09:00:00Z: Which region? (1 depends on it)",
      ].join("\n"),
    );
    expect(await talk.ask("issue_show", { ids: ["g"] })).toContain(
      "not ready: a gate, which waits for Mrs. Okafor, deadline 2099-01-31T09:00:00Z",
    );
    expect(await talk.ask("issue_close", { ids: ["g"], reason: "eu-west" })).toContain("unblocked 1:\nwork ");
    expect(await talk.ask("issue_show", { ids: ["g"] })).toContain("eu-west");
    expect(await talk.ask("issue_ready", {})).not.toContain("Gates");
  });

  test("until a time, without a process that waits for it", async () => {
    await createGate({ await_type: "timer", await_until: "2099-01-01T00:00:00Z" });
    await talk.value("issue_create", { issues: [{ title: "child", parent: "work" }] });
    expect(await talk.ask("issue_show", { ids: ["work"] })).toContain("a gate holds it until 2099-01-01T00:00:00.000Z");
    vi.useFakeTimers({ now: Date.parse("2099-01-01T00:00:01Z"), toFake: ["Date"] });
    const ready = await talk.ask("issue_ready", {});
    expect(ready).toMatch(/^work .*deploy\nwork\.1 .*child/);
    expect(ready).not.toContain("Gates");
  });

  test("until a moved time", async () => {
    await createGate({ await_type: "timer", await_until: "2099-01-01T00:00:00Z" });
    await talk.value("issue_update", { ids: ["g"], set: { await_until: "2098-01-01T00:00:00Z" } });
    expect(await talk.ask("issue_show", { ids: ["work"] })).toContain("until 2098-01-01T00:00:00.000Z");
  });

  test("until another issue is closed, also by way of a second gate", async () => {
    await talk.value("issue_create", { issues: [{ title: "first", id: "first" }] });
    await createGate({ await_type: "issue", await_id: "first" });
    await talk.value("issue_create", {
      issues: [
        { title: "second gate", issue_type: "gate", await_type: "issue", await_id: "g", id: "g2" },
        { title: "later", id: "later", depends: ["g2"] },
      ],
    });
    expect(await talk.ask("issue_ready", {})).toMatch(/^first /);
    const closed = await talk.ask("issue_close", { ids: ["first"] });
    expect(closed).toMatch(/unblocked 2:\n(.*\n)*/);
    expect(await talk.ask("issue_ready", {})).toMatch(/^work .*\nlater .*/);
    expect(await talk.ask("issue_show", { ids: ["g2"] })).toMatch(/status: closed[^]*close_reason: g is closed/);
    expect(await talk.value("issue_list", { where: { issue_type: "gate" } })).toMatchObject({ items: [] });
  });
});

test("a closed gate is a change of the store, with its answer in the record", async () => {
  await createGate({});
  const before = await store.generation();
  const seen: number[] = [];
  const stop = await store.watch((generation) => void seen.push(generation));
  await talk.value("issue_close", { ids: ["g"], reason: "eu-west" });
  await expect.poll(() => Math.max(0, ...seen)).toBeGreaterThan(before);
  const query = { sinceGeneration: before, filter: { issue_type: "gate" }, includeClosed: true };
  const { items } = await store.query(issueKind(), query);
  expect(items).toMatchObject([{ id: "g", data: { status: "closed", close_reason: "eu-west" } }]);
  await stop();
});

test("a gate past its deadline goes on holding, and says so", async () => {
  await createGate({ deadline: "2098-01-01T00:00:00Z" });
  vi.useFakeTimers({ now: Date.parse("2099-01-01T00:00:00Z"), toFake: ["Date"] });
  expect(await talk.ask("issue_ready", {})).toContain(
    "g waits for a person, deadline 2098-01-01T00:00:00Z missed: Which",
  );
});

test.each([
  [
    "an unknown type",
    { await_type: "humans" },
    'await_type: expected one of human, timer, issue, received "humans", did you mean human?',
  ],
  ["a timer without a time", { await_type: "timer" }, "await_until: required for a gate that waits for a time"],
  ["a time that is past", { await_type: "timer", await_until: "2020-01-01" }, "await_until: 2020-01-01 is in the past"],
  ["a past deadline", { deadline: "2020-01-01T00:00:00Z" }, "deadline: 2020-01-01T00:00:00Z is in the past"],
  [
    "a deadline of a timer",
    { await_type: "timer", await_until: "2099-01-01", deadline: "2098-01-01" },
    "deadline: a gate that waits for a time has none",
  ],
  ["a time of a person", { await_until: "2099-01-01" }, "await_until: only of await_type timer, received human"],
  ["no issue to wait for", { await_type: "issue" }, "await_id: required: the id of the issue that it waits for"],
  ["an unknown issue", { await_type: "issue", await_id: "x" }, 'await_id: there is no issue with the id "x"'],
  ["a closed issue", { await_type: "issue", await_id: "over" }, "await_id: over is closed already"],
  ["the fields of a gate in a task", { issue_type: "task", await_id: "x" }, "await_id: only a gate has it"],
])("a gate that cannot open is refused: %s", async (_, fields, error) => {
  await talk.value("issue_create", { issues: [{ title: "over", id: "over" }] });
  await talk.value("issue_close", { ids: ["over"] });
  expect(await createGate(fields)).toContain(`invalid_input: ${error}`);
  expect(await talk.ask("issue_list", { where: { status: "all" } })).not.toContain("deploy");
});

test("a gate may wait for what the pack's `gates` name, with an id", async () => {
  talk = converse(store, { actor: "ann", gates: ["gh:pr"] });
  expect(await createGate({ await_type: "gh:pr" })).toContain("await_id: required: which gh:pr it waits for");
  expect(await createGate({ await_type: "gh:run", await_id: "7" })).toContain(
    'await_type: expected one of human, timer, issue, gh:pr, received "gh:run"',
  );
  await talk.value("issue_create", {
    issues: [{ title: "merged?", issue_type: "gate", await_type: "gh:pr", await_id: "a/b#7" }],
  });
  expect(await talk.ask("issue_ready", {})).toContain("waits for gh:pr a/b#7: merged? (0 depend on it)");
});

describe("a gate of beads", () => {
  const importGate = (fields: object) =>
    importIssues(
      { store, kind: issueKind() },
      [
        { id: "g", title: "gate", issue_type: "gate", created_at: "2098-01-01T00:00:00Z", ...fields },
        { id: "work", title: "deploy", dependencies: [{ depends_on_id: "g", type: "blocks" }] },
      ].map((issue) => JSON.stringify(issue)),
    );
  const hourNs = 3_600_000_000_000;

  test("with a timer holds until its timeout after its creation", async () => {
    await importGate({ await_type: "timer", timeout: hourNs });
    expect(await talk.ask("issue_show", { ids: ["work"] })).toContain("a gate holds it until 2098-01-01T01:00:00.000Z");
    expect(await talk.ask("issue_ready", {})).toContain("g waits until 2098-01-01T01:00:00.000Z: gate");
    vi.useFakeTimers({ now: Date.parse("2098-01-01T01:00:01Z"), toFake: ["Date"] });
    expect(await talk.ask("issue_ready", {})).toMatch(/^work .*deploy/);
  });

  test("of another type holds until it is closed, with its timeout as the deadline", async () => {
    await importGate({ await_type: "gh:pr", await_id: "42", timeout: hourNs, waiters: ["a@b"] });
    expect(await talk.ask("issue_ready", {})).toContain(
      "g waits for gh:pr 42, deadline 2098-01-01T01:00:00.000Z: gate (1 depends on it)",
    );
    await talk.value("issue_update", { ids: ["g"], set: { title: "merged?" } });
    expect(await talk.ask("issue_close", { ids: ["g"], reason: "merged" })).toContain("unblocked 1:\nwork ");
  });
});

test("a gate cannot wait for an issue that waits for it", async () => {
  await createGate({});
  expect(await talk.ask("issue_update", { ids: ["g"], set: { await_type: "issue", await_id: "work" } })).toContain(
    "a cycle: g -> work -> g",
  );
});
