import { describe, expect, onTestFinished, test } from "vitest";
import { createPlace, type Database, type SyncPlace } from "./sync.fixture.ts";
import type { TrackerIssue } from "./tracker-pack.fixture.ts";

async function place(...args: Parameters<typeof createPlace>): Promise<SyncPlace> {
  const made = await createPlace(...args);
  onTestFinished(() => made.end());
  return made;
}

const issue = (number: number, more: Partial<TrackerIssue> = {}): TrackerIssue => ({
  number,
  title: `Issue ${number}`,
  body: `Text of ${number}`,
  state: number % 5 === 0 ? "CLOSED" : "OPEN",
  labels: number % 3 === 0 ? ["bug"] : [],
  ...more,
});

const many = (count: number) => Array.from({ length: count }, (_, at) => issue(at + 1));

/** A place with three issues on both sides. */
async function linkedPlace(
  database?: Database,
  setting?: object,
): Promise<SyncPlace & { readonly ids: readonly string[] }> {
  const made = await place(database, setting);
  made.editThere(({ issues }) => issues.push(...many(3)));
  expect(await made.sync({ apply: true })).toMatchObject({ report: { applied: { left: 0 } } });
  return { ...made, ids: (await made.here()).map(({ id }) => id) };
}

describe("issue_sync", () => {
  test("shows what it would change, and changes nothing without apply", async () => {
    const at = await place();
    at.editThere(({ issues }) => issues.push(...many(2)));
    const id = await at.addHere({ title: "Only here" });
    const lines = [
      `create there  ${id}  Only here`,
      "create here   gh-1  Issue 1",
      "create here   gh-2  Issue 2",
      "1 to create there, 2 to create here",
      "with apply the changes are made",
    ];
    expect((await at.sync({ create: true })).text).toBe(lines.join("\n"));
    expect(await at.here()).toHaveLength(1);
    expect(at.there()).toHaveLength(2);
    expect((await at.sync()).report?.changes).toHaveLength(2);
  });

  test("creates issues here with their external_ref, and there only with create", async () => {
    const at = await place();
    at.editThere(({ issues }) => issues.push(...many(5)));
    const id = await at.addHere({
      title: "Only here",
      description: "a < b",
      labels: ["x", "a"],
      status: "in_progress",
    });
    await at.addHere({ title: "Done before", status: "closed" });
    await at.addHere({ title: "A gate", issue_type: "gate" });
    await at.addHere({ title: "Another tracker's", external_ref: "jira-7" });
    expect(await at.sync({ apply: true })).toMatchObject({
      report: { applied: { done: 5, failures: [], left: 0 } },
    });
    expect(at.there()).toHaveLength(5);
    expect(await at.sync({ apply: true, create: true })).toMatchObject({ report: { applied: { done: 1 } } });
    expect(at.there()[5]).toEqual({ number: 6, title: "Only here", body: "a < b", state: "OPEN", labels: ["a", "x"] });
    const here = await at.here();
    expect(here.find((one) => one.id === id)?.external_ref).toBe("gh-6");
    expect(here.find((one) => one.external_ref === "gh-5")).toMatchObject({ title: "Issue 5", status: "closed" });
    expect((await at.sync({ create: true })).report).toEqual({ changes: [], conflicts: [], notices: [] });
  });

  test("writes each change to the other side, field by field", async () => {
    const at = await linkedPlace();
    const [first = "", second = "", third = ""] = at.ids;
    await at.editHere(first, { title: "Renamed here", status: "in_progress" });
    await at.editHere(second, { status: "closed" });
    at.editThere(({ issues }) => {
      Object.assign(issues[0] ?? {}, { labels: ["urgent"], body: "Longer\r\ntext\r\n" });
      Object.assign(issues[2] ?? {}, { state: "CLOSED", body: undefined });
    });
    expect((await at.sync({ apply: true })).report).toMatchObject({
      changes: [
        { action: "update here", issue: first, ref: "gh-1", fields: ["description", "labels"] },
        { action: "update there", issue: first, fields: ["title"] },
        { action: "update there", issue: second, fields: ["status"] },
        { action: "update here", issue: third, fields: ["description", "status"] },
      ],
      applied: { done: 3, left: 0 },
    });
    expect(await at.here()).toMatchObject([
      { title: "Renamed here", description: "Longer\ntext", labels: ["urgent"], status: "in_progress" },
      { status: "closed" },
      { status: "closed", close_reason: "closed in gh-3" },
    ]);
    expect((await at.here())[2]).not.toHaveProperty("description");
    expect(at.there()).toMatchObject([
      { title: "Renamed here", state: "OPEN" },
      { state: "CLOSED" },
      { state: "CLOSED" },
    ]);
    expect((await at.sync()).report?.changes).toEqual([]);
    // An issue is opened again.
    at.editThere(({ issues }) => Object.assign(issues[1] ?? {}, { state: "OPEN" }));
    await at.sync({ apply: true });
    expect((await at.here())[1]).toMatchObject({ status: "open" });
  });

  test("lists conflicts and writes none of them, until one side is chosen or both agree", async () => {
    const at = await linkedPlace();
    const [first = "", second = ""] = at.ids;
    await at.editHere(first, { title: "Mine", description: "Mine too" });
    await at.editHere(second, { title: "Same" });
    at.editThere(({ issues }) => {
      Object.assign(issues[0] ?? {}, { title: "Theirs", labels: ["new"] });
      Object.assign(issues[1] ?? {}, { title: "Same" });
    });
    const conflict = { issue: first, ref: "gh-1", field: "title", here: "Mine", there: "Theirs" };
    const run = await at.sync({ apply: true });
    expect(run).toMatchObject({ report: { conflicts: [conflict], applied: { failures: [] } } });
    expect(at.there()[0]).toMatchObject({ title: "Theirs", body: "Mine too" });
    expect((await at.here())[0]).toMatchObject({ title: "Mine", labels: ["new"] });
    expect((await at.sync()).text).toContain(
      `conflict      ${first} (gh-1)  title: here "Mine", there "Theirs"\n1 conflict\n`,
    );
    expect(await at.sync({ apply: true, resolve: "there", only: [second] })).toMatchObject({ report: { changes: [] } });
    expect(await at.sync({ apply: true, resolve: "there", only: ["gh-1"] })).toMatchObject({
      report: { applied: { failures: [], left: 0 } },
    });
    expect((await at.here())[0]).toMatchObject({ title: "Theirs" });
    expect((await at.sync()).report).toMatchObject({ changes: [], conflicts: [] });
  });

  test("writes a conflict there with resolve: here", async () => {
    const at = await linkedPlace();
    await at.editHere(at.ids[1] ?? "", { labels: ["mine"] });
    at.editThere(({ issues }) => Object.assign(issues[1] ?? {}, { labels: ["theirs"] }));
    expect(await at.sync({ apply: true })).toMatchObject({
      report: { conflicts: [{ here: ["mine"], there: ["theirs"] }] },
    });
    expect(await at.sync({ apply: true, resolve: "here" })).toMatchObject({ report: { conflicts: [] } });
    expect(at.there()[1]?.labels).toEqual(["mine"]);
  });

  test("is refused in read-only mode", async () => {
    const at = await place("SQLite", {}, true);
    at.editThere(({ issues }) => issues.push(...many(2)));
    expect((await at.sync()).text).toMatch(/^denied: .*issue_sync/);
    expect(await at.here()).toEqual([]);
  });

  test("ends when it is interrupted, and goes on in the next run", async () => {
    const at = await place();
    for (let count = 1; count <= 9; count += 1) await at.addHere({ title: `Here ${count}` });
    at.editThere(({ faults }) => faults.push({ tool: "create", at: 4, kind: "interrupt" }));
    expect(await at.sync({ apply: true, create: true })).toMatchObject({
      report: { applied: { done: 3, left: 6, failures: [], stopped: "interrupted" } },
    });
    expect(await at.sync({ apply: true, create: true })).toMatchObject({ report: { applied: { done: 6, left: 0 } } });
    expect(at.there()).toHaveLength(9);
    expect(await at.here()).toHaveLength(9);
  });

  test("tells of deletions on either side, and carries none out", async () => {
    const at = await linkedPlace();
    const [first = "", second = "", third = ""] = at.ids;
    await at.removeHere(first);
    at.editThere(({ issues }) => void issues.splice(1, 1));
    await at.editHere(third, { external_ref: null });
    const { report } = await at.sync({ apply: true, create: true });
    expect(report?.changes).toEqual([]);
    expect(report?.notices).toEqual([
      { issue: second, ref: "gh-2", problem: "not listed there any more; nothing is deleted here" },
      { issue: third, ref: "gh-3", problem: "its external_ref was removed or replaced here" },
      { issue: first, ref: "gh-1", problem: "deleted here; nothing is deleted there" },
    ]);
    expect(await at.here()).toHaveLength(2);
    expect(at.there()).toHaveLength(2);
  });

  test("links an issue by its external_ref; where both differ, that is a conflict", async () => {
    const at = await place();
    at.editThere(({ issues }) => issues.push(...many(3)));
    await at.addHere({ title: "Issue 1", description: "Mine", external_ref: "gh-1" });
    const twice = await at.addHere({ title: "Issue 2", external_ref: "gh-2" });
    await at.addHere({ title: "Issue 2", external_ref: "gh-2" });
    const { report } = await at.sync({ apply: true });
    expect(report).toMatchObject({
      changes: [{ action: "create here", ref: "gh-3" }],
      conflicts: [{ ref: "gh-1", field: "description", here: "Mine", there: "Text of 1" }],
    });
    const problem = "several issues here have the external_ref gh-2";
    expect(report?.notices[0]).toEqual({ issue: twice, ref: "gh-2", problem });
    expect(await at.here()).toHaveLength(4);
  });

  test("knows what the tracker makes of a text, and does not write it back", async () => {
    const at = await place();
    at.editThere((state) => (state.sanitizes = true));
    const id = await at.addHere({ title: "Compare", description: "a < b" });
    await at.sync({ apply: true, create: true });
    expect(at.there()[0]?.body).toBe("a &lt; b");
    expect((await at.sync({ create: true })).report?.changes).toEqual([]);
    await at.editHere(id, { description: "a < c" });
    await at.sync({ apply: true });
    expect(at.there()[0]?.body).toBe("a &lt; c");
    expect((await at.sync()).report?.changes).toEqual([]);
    expect((await at.here())[0]?.description).toBe("a < c");
  });

  test("does not overwrite what somebody changed there since the list", async () => {
    const at = await linkedPlace();
    await at.editHere(at.ids[0] ?? "", { title: "Mine" });
    at.editThere(({ faults }) => faults.push({ tool: "get", at: 1, kind: "edit" }));
    expect(await at.sync({ apply: true })).toMatchObject({
      report: { applied: { failures: [{ ref: "gh-1", problem: "title: changed there meanwhile: run again" }] } },
    });
    expect(at.there()[0]?.title).toBe("changed by somebody");
    expect((await at.sync()).report?.conflicts).toMatchObject([{ here: "Mine", there: "changed by somebody" }]);
  });

  test("synchronizes the assignee where the setting names it, and tells of names without a value", async () => {
    const fields = ["title", "status", "assignee"];
    const at = await linkedPlace("SQLite", { fields, values: { assignee: { ann: "ann-gh" } } });
    const [first = "", second = ""] = at.ids;
    await at.editHere(first, { assignee: "ann" });
    await at.editHere(second, { assignee: "agent-7" });
    at.editThere(({ issues }) => Object.assign(issues[2] ?? {}, { assignees: ["ann-gh", "other"] }));
    const { report } = await at.sync({ apply: true });
    expect(report?.notices).toEqual([{ problem: 'assignee: the mapping has no value for "agent-7" here (1 issues)' }]);
    expect(at.there().map(({ assignees }) => assignees)).toEqual([["ann-gh"], undefined, ["ann-gh", "other"]]);
    expect(await at.here()).toMatchObject([{ assignee: "ann" }, { assignee: "agent-7" }, { assignee: "ann" }]);
    expect((await at.sync()).report?.changes).toEqual([]);
  });
});

describe("a refused change", () => {
  test("is listed, and stops no other", async () => {
    const at = await linkedPlace();
    const [first = ""] = at.ids;
    await at.addHere({ title: "child", dependencies: [{ depends_on_id: first, type: "parent-child" }] });
    await at.editHere(first, { title: "Epic" });
    at.editThere(({ issues }) => {
      for (const one of issues) one.state = "CLOSED";
    });
    const run = await at.sync({ apply: true });
    expect(run).toMatchObject({ report: { applied: { done: 2, left: 0 } } });
    expect(JSON.stringify(run.report?.applied)).toContain("it has 1 open child");
    // What was changed here is written there all the same.
    expect(at.there()[0]?.title).toBe("Epic");
    expect((await at.here()).map(({ status }) => status)).toEqual(["open", "closed", "closed", "open"]);
  });

  test.each([
    [{ tracker: "gitlab" }, /servers\.tracker: tracker: expected github, or a mapping, received "gitlab"/],
    [{ server: "other" }, /no tool is named "other_list_issues"/],
    [{ fields: ["colour"] }, /servers\.tracker: fields/],
    [{ args: { owner: "wrong" } }, /list_issues: 404 Not Found/],
  ])("a wrong entry %j is named", async (setting, problem) => {
    const at = await place("SQLite", setting);
    expect((await at.sync({ apply: true })).text).toMatch(problem);
  });
});
