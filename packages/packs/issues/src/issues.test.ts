import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, type OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { converse, type Conversation } from "./conversation.fixture.ts";
import { issueKind } from "./issue-kind.ts";
import { issues } from "./issues.ts";

let store: OwnedStore;
let talk: Conversation;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "issues-"));
  store = sqlite(path.join(folder, "store.db"));
  talk = converse(store, { actor: "ann" });
  return async () => {
    await store.end();
    rmSync(folder, { recursive: true });
  };
});

/** Creates issues with given ids, in one call. */
async function createIssues(
  ...issues: readonly { readonly id: string; readonly [field: string]: unknown }[]
): Promise<void> {
  await talk.value("issue_create", {
    issues: issues.map(({ id, ...fields }) => ({ title: `title of ${id}`, ...fields, more: { id } })),
  });
}

describe("issue_create", () => {
  test("makes nothing again when the same operation is repeated", async () => {
    const dispatcher = createDispatcher(createCatalog({ packs: [issues({ store, actor: "ann" })] }));
    const create = async (operation: string) => {
      const made = [{ title: "Plan" }, { title: "Write", depends: ["#1"] }, { title: "Print", id: "own" }];
      return dispatcher.dispatch({ name: "issue_create", args: { issues: made }, context: { operation } });
    };
    const first = await create("run/step");
    expect(first).toMatchObject({ ok: true });
    expect(await create("run/step")).toEqual(first);
    expect((await store.query(issueKind(), {})).total).toBe(3);
    expect(await create("another")).toMatchObject({ ok: false, failure: { code: "conflict" } });
  });

  test("returns short ids, children's ids and priorities after their parent's, and a line for each issue", async () => {
    const text = await talk.ask("issue_create", {
      issues: [
        { title: "Ship it", issue_type: "epic", priority: 1 },
        { title: "Write it", parent: "#1", labels: ["docs"] },
        { title: "Print it", parent: "#1", priority: 3, depends: ["#2", "discovered-from:#2"] },
      ],
    });
    const id = /^(bd-[0-9a-z]{4,7}) /.exec(text)?.[1];
    expect(text).toBe(
      [
        `${id} P1 epic open: Ship it`,
        `${id}.1 P1 task open: Write it #docs (blocks 1)`,
        `${id}.2 P3 task open: Print it (blocked by 1)`,
        `inherited from ${id}: priority 1`,
      ].join("\n"),
    );
  });

  test("uses the prefix of the options", async () => {
    expect(await converse(store, { prefix: "web" }).ask("issue_create", { issues: [{ title: "x" }] })).toMatch(/^web-/);
  });

  test.each([
    [
      "an unknown id",
      { title: "b", depends: ["bd-none"] },
      /^not_found: dependencies: there is no issue with the id "bd-none"\nFind ids/,
    ],
    ["a bad priority", { title: "b", priority: 5 }, /^invalid_input: issues\[1\]\.priority: expected at most 4/],
    [
      "a description of 1 MB",
      { title: "b", description: "x".repeat(1_048_576) },
      /^invalid_input: .*description: .*500000/,
    ],
    [
      "an unknown status",
      { title: "b", more: { status: "opne" } },
      /^invalid_input: status: expected one of open, .*did you mean open\?/,
    ],
    ["an existing id", { title: "b", more: { id: "bd-1" } }, /^conflict: id: bd-1 is taken/],
    [
      "a dependency given twice",
      { title: "b", depends: ["bd-1", "blocks:bd-1"] },
      /^invalid_input: dependencies: blocks bd-1 is given twice/,
    ],
    [
      "an issue that the call has not",
      { title: "b", depends: ["#3"] },
      /^invalid_input: issues\[1\]\.depends: #3: this call has 2 issues, #1 to #2/,
    ],
    ["an issue that depends on itself", { title: "b", depends: ["#2"] }, /^conflict: issues\[1\]: a cycle: #2 -> #2/],
    ["no title", { title: "" }, /^invalid_input: .*title/],
  ])("rejects %s, and writes nothing", async (_, bad, message) => {
    await createIssues({ id: "bd-1" });
    const before = await store.generation();
    expect(await talk.ask("issue_create", { issues: [{ title: "a", depends: ["bd-1"] }, bad] })).toMatch(message);
    expect(await store.generation()).toBe(before);
    expect((await store.get(issueKind(), "bd-1"))?.data.graph?.dependents).toBe(0);
  });

  test("rejects the same id twice in one call", async () => {
    const issues = ["a", "b"].map((title) => ({ title, more: { id: "bd-1" } }));
    expect(await talk.ask("issue_create", { issues })).toMatch(/^conflict: id: bd-1 is taken/);
    expect(await store.generation()).toBe(0);
  });
});

test("an unknown field is rejected by issue tools and store tools", async () => {
  await createIssues({ id: "bd-1" });
  const error = /^invalid_input: prioritty: unknown field, did you mean priority\?/;
  expect(await talk.ask("issue_update", { ids: ["bd-1"], set: { prioritty: 1 } })).toMatch(error);
  expect(await talk.ask("issue_create", { issues: [{ title: "x", more: { prioritty: 1 } }] })).toMatch(error);
  const record = { title: "x", prioritty: 1 };
  expect(await talk.ask("store_put", { kind: "issue", record })).toMatch(error);
});

describe("issue_depend", () => {
  test("rejects a cycle, and the error shows it", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] }, { id: "bd-3", parent: "bd-2" });
    expect(await talk.ask("issue_depend", { id: "bd-1", on: "bd-3" })).toBe(
      "conflict: dependencies: a cycle: bd-1 -> bd-3 -> bd-2 -> bd-1\nRemove one of these with issue_depend, or relate them with type related.",
    );
    expect(await talk.ask("issue_depend", { id: "bd-1", on: "bd-3", type: "related" })).toContain("bd-1 P2 task open");
  });

  test("rejects a dependency on the issue itself", async () => {
    await createIssues({ id: "bd-1" });
    expect(await talk.ask("issue_depend", { id: "bd-1", on: "bd-1" })).toBe(
      "invalid_input: dependencies: bd-1 cannot depend on itself",
    );
  });

  test("removes a dependency, and rejects a missing one", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] });
    expect(await talk.ask("issue_ready")).not.toContain("bd-2");
    await talk.value("issue_depend", { id: "bd-2", on: "bd-1", remove: true });
    expect(await talk.ask("issue_ready")).toContain("bd-2");
    expect(await talk.ask("issue_depend", { id: "bd-2", on: "bd-1", remove: true })).toMatch(/^not_found: bd-2: /);
  });
});

describe("readiness", () => {
  test("sorts by priority, then age, and leaves out blocked, deferred, pinned, ephemeral and claimed issues", async () => {
    await createIssues(
      { id: "bd-1", priority: 3 },
      { id: "bd-2", priority: 1 },
      { id: "bd-3", priority: 1 },
      { id: "bd-4", depends: ["bd-1"] },
      { id: "bd-5", parent: "bd-4" },
      { id: "bd-6" },
      { id: "bd-7" },
      { id: "bd-8" },
      { id: "bd-9", parent: "bd-6" },
      { id: "bd-10", depends: ["related:bd-1"] },
    );
    await talk.value("issue_update", { ids: ["bd-6"], set: { defer_until: "2999-01-01T00:00:00Z" } });
    await talk.value("issue_update", { ids: ["bd-7"], set: { pinned: true } });
    await talk.value("issue_update", { ids: ["bd-8"], set: { ephemeral: true } });
    await talk.value("issue_claim", { id: "bd-3" });
    const ids = (text: string) => text.split("\n").flatMap((line) => /^bd-\d+/.exec(line) ?? []);
    expect(ids(await talk.ask("issue_ready"))).toEqual(["bd-2", "bd-10", "bd-1"]);
    expect(ids(await talk.ask("issue_ready", { in_progress: true }))).toEqual(["bd-2", "bd-3", "bd-10", "bd-1"]);
    expect(await talk.ask("issue_blocked")).toBe(
      ["bd-4 P2 task open: title of bd-4 <- bd-1", "bd-5 P2 task open: title of bd-5 <- bd-4", "(2 of 2)"].join("\n"),
    );
  });

  test("begins when the defer time has passed", async () => {
    await createIssues({ id: "bd-1" });
    const soon = new Date(Date.now() + 400).toISOString();
    await talk.value("issue_update", { ids: ["bd-1"], set: { defer_until: soon } });
    expect(await talk.ask("issue_ready")).toBe("none");
    await expect.poll(() => talk.ask("issue_ready"), { timeout: 5_000 }).toContain("bd-1");
  });

  test("is explained", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] }, { id: "bd-3", parent: "bd-2" });
    expect(await talk.ask("issue_show", { ids: ["bd-1"] })).toContain("\nready: open, and nothing holds it back\n");
    expect(await talk.ask("issue_show", { ids: ["bd-2"] })).toContain("\nnot ready: blocked by bd-1\n");
    expect(await talk.ask("issue_show", { ids: ["bd-3"] })).toContain("\nnot ready: under bd-2, blocked or deferred");
  });

  test("a filter never adds issues", async () => {
    await createIssues(
      { id: "bd-1", labels: ["x"], assignee: "bo" },
      { id: "bd-2", issue_type: "bug" },
      { id: "bd-3", depends: ["bd-1"] },
    );
    const all = await talk.value("issue_ready");
    for (const where of [
      { label: "x" },
      { assignee: "" },
      { issue_type: "bug" },
      { text: "title" },
      { status: "closed" },
    ]) {
      const some = await talk.value("issue_ready", { where });
      expect(all["items"]).toEqual(expect.arrayContaining(some["items"] as unknown[]));
    }
    expect(await talk.ask("issue_ready", { where: { typ: "bug" } })).toMatch(
      /^invalid_input: where\.typ: unknown field/,
    );
  });

  test("is updated when a record is deleted", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] });
    const [kind] = talk.pack.kinds;
    if (kind !== undefined) await store.delete(kind, "bd-1");
    expect(await talk.ask("issue_ready")).toContain("bd-2");
    await createIssues({ id: "bd-1" });
    expect(await talk.ask("issue_blocked")).toContain("bd-2 P2 task open: title of bd-2 <- bd-1");
  });
});

describe("closing", () => {
  test("lists the unblocked issues, and stores a reason", async () => {
    await createIssues(
      { id: "bd-1" },
      { id: "bd-2", depends: ["bd-1"] },
      { id: "bd-3", parent: "bd-2" },
      { id: "bd-4", depends: ["bd-3"] },
    );
    expect(await talk.ask("issue_close", { ids: ["bd-1"], reason: "fixed" })).toBe(
      [
        "bd-1 P2 task closed: title of bd-1",
        "unblocked 2:",
        "bd-2 P2 task open: title of bd-2",
        "bd-3 P2 task open: title of bd-3 (blocks 1)",
      ].join("\n"),
    );
    expect(await talk.ask("issue_show", { ids: ["bd-1"] })).toContain("close_reason: fixed");
  });

  test("an epic with open children is rejected, but not together with them", async () => {
    await createIssues(
      { id: "bd-1", issue_type: "epic" },
      { id: "bd-2", parent: "bd-1" },
      { id: "bd-3", parent: "bd-1" },
    );
    const before = await store.generation();
    expect(await talk.ask("issue_close", { ids: ["bd-1"] })).toBe(
      "conflict: bd-1: it has 2 open children: bd-2, bd-3\nClose them first, or in the same call.",
    );
    expect(await talk.ask("issue_close", { ids: ["bd-1", "bd-2"] })).toMatch(
      /^conflict: bd-1: it has 1 open child: bd-3/,
    );
    expect(await store.generation()).toBe(before);
    await talk.value("issue_close", { ids: ["bd-1", "bd-2", "bd-3"] });
    expect(await talk.ask("issue_tree", { id: "bd-1" })).toContain("(2 of 2 closed)");
  });

  test.each([
    [["bd-1", "bd-1"], "invalid_input: ids: bd-1 is given twice"],
    [["bd-1", "bd-9"], 'not_found: id: there is no issue with the id "bd-9"\nFind ids with issue_list.'],
  ])("%j is rejected, and nothing is closed", async (ids, message) => {
    await createIssues({ id: "bd-1" });
    expect(await talk.ask("issue_close", { ids })).toBe(message);
    expect(await talk.ask("issue_ready")).toContain("bd-1");
  });

  test("can be undone; an open issue cannot be reopened", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] });
    expect(await talk.ask("issue_reopen", { ids: ["bd-1"] })).toBe("conflict: bd-1: it is not closed, it is open");
    await talk.value("issue_close", { ids: ["bd-1"], reason: "fixed" });
    await talk.value("issue_reopen", { ids: ["bd-1"] });
    const shown = await talk.ask("issue_show", { ids: ["bd-1"] });
    expect(shown).toContain("status: open");
    expect(shown).not.toMatch(/closed_at|close_reason/);
    expect(await talk.ask("issue_blocked")).toContain("bd-2");
  });
});

describe("issue_claim", () => {
  test("assigns an issue to the caller until it is released", async () => {
    await createIssues({ id: "bd-1" });
    expect(await talk.ask("issue_claim", { id: "bd-1", actor: "bo" })).toMatch(
      /^bd-1 P2 task in_progress: title of bd-1 @bo, yours until 2/,
    );
    expect(await talk.ask("issue_claim", { id: "bd-1" })).toMatch(
      /^conflict: bd-1: claimed by bo until 2.*\nTake another one: issue_ready\.$/,
    );
    expect(await talk.ask("issue_release", { id: "bd-1" })).toBe("conflict: bd-1: claimed by bo, not ann");
    expect(await talk.ask("issue_claim", { id: "bd-1", actor: "bo" })).toContain("yours until");
    expect(await talk.ask("issue_release", { id: "bd-1", actor: "bo" })).toBe("bd-1 P2 task open: title of bd-1");
    expect(await talk.ask("issue_claim", { id: "bd-1" })).toContain("@ann");
  });

  test("requires a caller's name, and uses none that sessions would share", async () => {
    await createIssues({ id: "bd-1" });
    const [one, other] = [converse(store), converse(store)].map(({ ask: askNameless }) => askNameless("issue_claim"));
    expect(await one).toMatch(
      /^invalid_input: actor: required.*\nSuch as "agent-[0-9a-f]{6}", the same in all your calls\./,
    );
    // Two agents that take the suggestion have different names.
    expect(await one).not.toBe(await other);
  });

  test("uses the name in the session's header", async () => {
    await createIssues({ id: "bd-1" });
    const dispatcher = createDispatcher(createCatalog({ packs: [converse(store).pack] }));
    const header = (name: string) => (name === "toolpacks-actor" ? "session-7" : undefined);
    const outcome = await dispatcher.dispatch({ name: "issue_claim", args: { id: "bd-1" }, context: { header } });
    expect(outcome).toMatchObject({ value: { issue: { assignee: "session-7" } } });
  });

  test("rejects a blocked issue", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] });
    expect(await talk.ask("issue_claim", { id: "bd-2" })).toMatch(/^conflict: bd-2: blocked by bd-1/);
    expect(await talk.ask("issue_update", { ids: ["bd-2"], set: { status: "in_progress" } })).toMatch(
      /^conflict: bd-2: blocked by bd-1, it cannot become in_progress/,
    );
  });

  test("an expired lease lets another caller claim the issue, by id or as the next one", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2" });
    const kind = issueKind();
    const ended = { status: "in_progress", assignee: "bo", lease_until: "2020-01-01T00:00:00Z" };
    await store.put(kind, ended, { id: "bd-1", patch: true });
    expect(await talk.ask("issue_claim", { id: "bd-1" })).toContain("bd-1 P2 task in_progress: title of bd-1 @ann");
    await store.put(kind, { ...ended, assignee: "ann" }, { id: "bd-1", patch: true });
    expect(await talk.ask("issue_claim", { actor: "cy" })).toContain("bd-2");
    expect(await talk.ask("issue_claim", { actor: "di" })).toContain("bd-1 P2 task in_progress: title of bd-1 @di");
    expect(await talk.ask("issue_claim", { actor: "ed" })).toMatch(/^not_found: no issue is ready/);
  });
});

describe("issue_update", () => {
  test("unsets a field that is null, and changes nothing if one issue is bad", async () => {
    await createIssues({ id: "bd-1", description: "long", assignee: "bo" }, { id: "bd-2", assignee: "bo" });
    await talk.value("issue_update", { ids: ["bd-1"], set: { description: null, priority: 0 } });
    expect(await talk.ask("issue_show", { ids: ["bd-1"] })).not.toContain("description");
    await talk.value("issue_close", { ids: ["bd-2"] });
    const before = await store.generation();
    const set = { status: "blocked", assignee: "cy" };
    expect(await talk.ask("issue_update", { ids: ["bd-1", "bd-2"], set })).toBe(
      "conflict: bd-2: closed cannot become blocked\nReopen it first: issue_reopen.",
    );
    expect(await store.generation()).toBe(before);
    expect(await talk.ask("issue_update", { ids: ["bd-1"], set: { priority: "high" } })).toMatch(
      /^invalid_input: priority: /,
    );
  });

  test("adds comments and labels, one after the other", async () => {
    await createIssues({ id: "bd-1", labels: ["old"] });
    await talk.value("issue_comment", { id: "bd-1", text: "first" });
    await talk.value("issue_comment", { ids: ["bd-1"], text: "second", actor: "bo" });
    expect(await talk.ask("issue_label", { ids: ["bd-1"], add: ["new"], remove: ["old"] })).toContain("#new");
    const shown = await talk.ask("issue_show", { ids: ["bd-1"] });
    expect(shown).toMatch(/ann 2\S+: first\n {2}bo 2\S+: second/);
    expect(shown).not.toContain('"old"');
  });
});

describe("issue_comment", () => {
  test("comments on several issues, all or none", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2" });
    const ids = ["bd-1", "bd-2"];
    await talk.value("issue_comment", { id: "bd-2", text: "first" });
    expect(await talk.ask("issue_comment", { ids, text: "both" })).toBe("bd-1: 1 comment\nbd-2: 2 comments");
    const before = await store.generation();
    expect(await talk.ask("issue_comment", { ids: [...ids, "none"], text: "no" })).toMatch(/^not_found: .*"none"/);
    expect(await talk.ask("issue_comment", { ids: ["bd-1", "bd-1"], text: "no" })).toBe(
      "invalid_input: ids: bd-1 is given twice",
    );
    expect(await talk.ask("issue_comment", { ids, id: "bd-1", text: "no" })).toMatch(
      /^invalid_input: id: unknown field/,
    );
    expect(await talk.ask("issue_comment", { text: "no" })).toMatch(/^invalid_input: ids: required/);
    expect(await store.generation()).toBe(before);
  });
});

describe("lists", () => {
  test("of more than 20 show 5, the total, and a hint for the rest", async () => {
    const issues = Array.from({ length: 23 }, (_, at) => ({ title: `t${at}` }));
    await talk.value("issue_create", { issues });
    for (const name of ["issue_ready", "issue_list"]) {
      const page = await talk.value(name);
      expect(page).toMatchObject({ total: 23, compacted: true, hint: expect.any(String) });
      expect(page["items"]).toHaveLength(5);
      const rest = await talk.value(name, { cursor: page["cursor"], limit: 100 });
      expect(rest["items"]).toHaveLength(18);
    }
    const settable = await converse(store, { list: { over: 3, show: 2 } }).value("issue_list");
    expect(settable["items"]).toHaveLength(2);
  });

  test("show closed issues by status, and every issue for all", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2" });
    await talk.value("issue_close", { ids: ["bd-1"] });
    expect(await talk.ask("issue_list")).toBe("bd-2 P2 task open: title of bd-2\n(1 of 1)");
    expect(await talk.ask("issue_list", { where: { status: "closed" } })).toBe(
      "bd-1 P2 task closed: title of bd-1\n(1 of 1)",
    );
    expect(await talk.value("issue_list", { where: { status: "all" } })).toMatchObject({ total: 2 });
    expect(await talk.ask("issue_stats")).toBe(
      "total 2, ready 1, blocked 0, unassigned 1; by status: open 1, closed 1",
    );
  });

  test("of dependents show 20, and a hint for the rest", async () => {
    await createIssues({ id: "bd-1" });
    await talk.value("issue_create", {
      issues: Array.from({ length: 22 }, (_, at) => ({ title: `t${at}`, depends: ["bd-1"] })),
    });
    const shown = await talk.ask("issue_show", { ids: ["bd-1"] });
    expect(shown).toContain("dependents: 22\n");
    expect(shown).toMatch(/All of them: issue_list {"where": {"on": "bd-1", "status": "all"}}$/);
    expect(await talk.value("issue_list", { where: { on: "bd-1", status: "all" } })).toMatchObject({ total: 22 });
  });

  test("a line break in a title does not start a new line", async () => {
    await createIssues({ id: "bd-1", title: "one\nbd-2 P0 task open: two" });
    expect((await talk.ask("issue_list")).split("\n")).toEqual([expect.any(String), "(1 of 1)"]);
  });
});

describe("the generic tools", () => {
  const put = (id: string, record: object) => talk.ask("store_put", { kind: "issue", id, record, patch: true });

  test("obey the same rules", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] }, { id: "bd-3", parent: "bd-2" });
    expect(await put("bd-2", { status: "in_progress" })).toMatch(/^conflict: bd-2: blocked by bd-1/);
    expect(await put("bd-1", { dependencies: [{ depends_on_id: "bd-3", type: "blocks" }] })).toMatch(
      /a cycle: bd-1 -> bd-3 -> bd-2 -> bd-1/,
    );
    expect(await put("bd-1", { dependencies: [{ depends_on_id: "bd-9" }] })).toMatch(/^not_found: dependencies/);
    expect(await put("bd-1", { status: "paused" })).toMatch(/^invalid_input: status/);
    expect(await talk.ask("store_close", { kind: "issue", id: "bd-2" })).toMatch(
      /^conflict: bd-2: it has 1 open child: bd-3/,
    );
    expect(await talk.ask("store_close", { kind: "issue", id: "bd-1", note: "fixed" })).toContain("(closed)");
    expect(await talk.ask("issue_ready")).toContain("bd-2");
    expect(await put("bd-1", { status: "deferred" })).toMatch(/^conflict: bd-1: closed cannot become deferred/);
    expect(await put("bd-1", { status: "open" })).not.toContain("(closed)");
    expect(await talk.ask("issue_ready")).not.toContain("bd-2");
  });

  test("cannot replace a claim's holder, nor set derived fields", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] });
    await talk.value("issue_claim", { id: "bd-1", actor: "bo" });
    expect(await put("bd-1", { assignee: "cy" })).toMatch(/^conflict: bd-1: claimed by bo until/);
    const { data } = (await store.get(issueKind(), "bd-2")) ?? {};
    await put("bd-2", { graph: { ...data?.graph, state: "ready", blockers: [] } });
    expect(await talk.ask("issue_ready")).toBe("none");
  });

  test("find issues by derived fields", async () => {
    await createIssues({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] });
    const query = { kind: "issue", filter: { "graph.state": "blocked" } };
    expect(await talk.ask("store_query", query)).toBe("bd-2 title of bd-2 status=open priority=2 issue_type=task");
  });
});
