import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import type { IssueKind } from "./graph/draft.ts";
import { issueKind } from "./issue-kind.ts";
import { issues } from "./issues.ts";

let store: OwnedStore;
let client: PackConnection;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "issues-"));
  store = sqlite(path.join(folder, "store.db"));
  client = await connectPack(issues({ store, actor: "ann" }), "sdk 2, protocol 2026-07-28", { results: "both" });
  return async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  };
});

/** Calls a tool over the wire and returns the text that a model reads. */
const ask = async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  resultText(await client.callTool(name, args));

/** Stores an issue as an import does. */
const importedKind: IssueKind = { ...issueKind(), rule: () => {} };

const idsOf = (text: string) => text.split("\n").flatMap((line) => /^bd-[\w.]+/.exec(line) ?? []);

interface NewIssue {
  readonly id: string;
  readonly [field: string]: unknown;
}

async function create(...created: readonly NewIssue[]): Promise<void> {
  const all = created.map((issue) => ({ title: `title of ${issue.id}`, ...issue }));
  const { isError } = await client.callTool("issue_create", { issues: all });
  expect(isError).not.toBe(true);
}

describe("counts in lists", () => {
  beforeEach(() =>
    create(
      { id: "bd-1", type: "epic" },
      { id: "bd-2", parent: "bd-1" },
      { id: "bd-3", depends: ["bd-2", "related:bd-1"] },
      { id: "bd-4", depends: ["bd-2", "bd-3"] },
    ),
  );

  test("are of open blockers and of open issues that are blocked, without parents, children and closed issues", async () => {
    const line = (id: string) => `${id} P2 task open: title of ${id}`;
    expect(await ask("issue_list")).toBe(
      [
        "bd-1 P2 epic open: title of bd-1",
        `${line("bd-2")} (blocks 2)`,
        `${line("bd-3")} (blocked by 1, blocks 1)`,
        `${line("bd-4")} (blocked by 2)`,
        "(4 of 4)",
      ].join("\n"),
    );
    await ask("issue_close", { ids: ["bd-2"] });
    expect(await ask("issue_list")).toBe(
      [
        "bd-1 P2 epic open: title of bd-1",
        `${line("bd-3")} (blocks 1)`,
        `${line("bd-4")} (blocked by 1)`,
        "(3 of 3)",
      ].join("\n"),
    );
    await ask("issue_close", { ids: ["bd-4"] });
    expect(await ask("issue_list", { where: { status: "all", parent: "bd-1" } })).toContain("closed: title of bd-2\n");
    expect(await ask("issue_ready")).not.toContain("blocks");
    await ask("issue_reopen", { ids: ["bd-2", "bd-4"] });
    expect(await ask("issue_list")).toContain(`${line("bd-2")} (blocks 2)`);
  });

  test("sort and filter", async () => {
    expect(idsOf(await ask("issue_list", { sort: "-blocks" }))).toEqual(["bd-2", "bd-3", "bd-1", "bd-4"]);
    expect(idsOf(await ask("issue_list", { sort: "-blockers" }))).toEqual(["bd-4", "bd-3", "bd-1", "bd-2"]);
    expect(idsOf(await ask("issue_list", { where: { blocks: { gte: 1 } } }))).toEqual(["bd-2", "bd-3"]);
    expect(idsOf(await ask("issue_list", { where: { blockers: 0, blocks: 0 } }))).toEqual(["bd-1"]);
    const unknown = await ask("issue_list", { where: { blocks: { gt: 0, most: 2 } } });
    expect(idsOf(await ask("issue_list", { where: { blocks: { gt: 1, lt: 3 } } }))).toEqual(["bd-2"]);
    expect(unknown).toMatch(/^invalid_input: where\.blocks\.most: unknown field/);
    expect(await ask("issue_list", { sort: "block" })).toMatch(/^invalid_input: sort: expected one of .*"blocks"/);
    const byBlocks = await ask("issue_list", { sort: "blocks" });
    expect(byBlocks).toBe(await ask("issue_list", { sort: "-blocks" }));
    expect(byBlocks.split("\n").slice(1, 3)).toEqual([
      "bd-3 P2 task open: title of bd-3 (blocked by 1, blocks 1)",
      "bd-1 P2 epic open: title of bd-1 (blocks 0)",
    ]);
    expect(await ask("issue_ready", { sort: "blockers" })).toContain("bd-1 P2 epic: title of bd-1 (blocked by 0)");
  });

  test("closing an issue that depends on a ready issue does not report that one as unblocked", async () => {
    expect(await ask("issue_close", { ids: ["bd-3"] })).toBe("bd-3 P2 task closed: title of bd-3");
    await ask("issue_reopen", { ids: ["bd-3"] });
    expect(await ask("issue_close", { ids: ["bd-2", "bd-4"] })).toBe(
      [
        "bd-2 P2 task closed: title of bd-2",
        "bd-4 P2 task closed: title of bd-4",
        "unblocked 1:",
        "bd-3 P2 task open: title of bd-3",
      ].join("\n"),
    );
  });
});

describe("issue_list", () => {
  test("finds bugs of priority 0 or 1 without an assignee, oldest first, in one call", async () => {
    await create(
      { id: "bd-1", type: "bug", priority: 1 },
      { id: "bd-2", type: "bug", priority: 0 },
      { id: "bd-3", type: "bug", priority: 2 },
      { id: "bd-4", type: "bug", priority: 0, assignee: "bo" },
      { id: "bd-5", type: "task", priority: 0 },
    );
    const today = new Date().toISOString().slice(0, 10);
    for (const where of [
      { issue_type: "bug", priority: [0, 1], assignee: "unassigned" },
      { issue_type: "bug", priority: [0, 1], assignee: null },
      { type: "bug", priority: { lte: 1 }, assignee: "" },
      { type: ["bug", "chore"], status: ["open", "blocked"], priority: { lt: 2 }, assignee: ["none", "cy"] },
    ]) {
      const text = await ask("issue_list", { where, sort: "created_at" });
      expect(text.replaceAll(/T\d\d:\d\d:\d\dZ/g, "").split("\n")).toEqual([
        `bd-1 P1 bug open: title of bd-1 (created ${today})`,
        `bd-2 P0 bug open: title of bd-2 (created ${today})`,
        "(2 of 2)",
      ]);
    }
    expect(idsOf(await ask("issue_list", { where: { assignee: ["none", "bo"] }, sort: "newest", limit: 2 }))).toEqual([
      "bd-5",
      "bd-4",
    ]);
  });

  test("finds words of titles and texts, the best match first", async () => {
    await create(
      { id: "bd-1", title: "Slow start", priority: 0, description: "The login page waits for the cache." },
      { id: "bd-2", title: "Login fails", priority: 3 },
      { id: "bd-3", title: "Login of old users", status: "closed" },
    );
    expect(idsOf(await ask("issue_list", { where: { text: "login" } }))).toEqual(["bd-2", "bd-1"]);
    expect(idsOf(await ask("issue_list", { where: { text: "login" }, sort: "priority" }))).toEqual(["bd-1", "bd-2"]);
    expect(idsOf(await ask("issue_list", { where: { text: "logins", status: "all" } }))).toHaveLength(3);
  });

  test("names a misspelt condition, and what a condition accepts", async () => {
    for (const name of ["issue_list", "issue_ready", "issue_blocked"]) {
      const refused = async (where: object) => ask(name, { where });
      expect(await refused({ asignee: "none" })).toMatch(/^invalid_input: where\.asignee: .*did you mean assignee\?/);
      expect(await refused({ priority: "high" })).toBe(
        "invalid_input: where.priority: expected 0 to 4, several as a list, or a range such as {lte: 1}",
      );
      expect(await refused({ priority: 5 })).toMatch(/^invalid_input: where\.priority: expected 0 to 4, /);
      expect(await refused({ blocks: "many" })).toBe(
        "invalid_input: where.blocks: expected a number, or a range such as {gte: 1}",
      );
      expect(await refused({ assignee: true })).toBe(
        'invalid_input: where.assignee: expected a name, "unassigned" or "any", or several as a list',
      );
    }
  });

  test("names a misspelt status, and finds a status of an imported file", async () => {
    await create({ id: "bd-1" });
    await store.put(importedKind, { title: "Hooked", status: "hooked" }, { id: "bd-2" });
    expect(await ask("issue_list", { where: { status: "hooked" } })).toMatch(/^bd-2 P2 task hooked: Hooked\n/);
    expect(await ask("issue_list", { where: { status: "opne" } })).toBe(
      'none\nUnusual status "opne": did you mean open?',
    );
    expect(await ask("issue_stats")).toMatch(/by status: hooked 1, open 1$/);
  });

  test("shows the time by which it is sorted", async () => {
    const created_at = "2026-01-31T23:30:00-08:00";
    await create({ id: "bd-1" }, { id: "bd-2", type: "bug", created_at });
    const bugs = { where: { issue_type: "bug" } };
    expect(await ask("issue_list", { ...bugs, sort: "newest" })).toContain(
      "title of bd-2 (created 2026-02-01T07:30:00Z)",
    );
    const updated = new RegExp(
      `title of bd-2 \\(updated ${new Date().toISOString().slice(0, 10)}T\\d\\d:\\d\\d:\\d\\dZ\\)`,
    );
    expect(await ask("issue_list", { ...bugs, sort: "updated" })).toMatch(updated);
    expect(await ask("issue_list", bugs)).toBe("bd-2 P2 bug open: title of bd-2\n(1 of 1)");
  });

  test("sorts by the latest change, by the oldest one, or by the latest closing", async () => {
    await create({ id: "bd-1" }, { id: "bd-2" }, { id: "bd-3" });
    for (const id of ["bd-1", "bd-2"]) await ask("issue_close", { ids: [id] });
    const today = new Date().toISOString().slice(0, 10);
    const closed = { where: { status: "closed" } };
    const lastClosed = await ask("issue_list", { ...closed, sort: "closed" });
    expect(idsOf(lastClosed)).toEqual(["bd-2", "bd-1"]);
    expect(lastClosed).toContain(`(closed ${today}T`);
    expect(idsOf(await ask("issue_list", { ...closed, sort: "updated" }))).toEqual(["bd-2", "bd-1"]);
    expect(idsOf(await ask("issue_list", { ...closed, sort: "stale" }))).toEqual(["bd-1", "bd-2"]);
  });

  test("shows a parent once above its children", async () => {
    await create({ id: "bd-1", type: "epic" }, { id: "bd-2", parent: "bd-1" }, { id: "bd-3", parent: "bd-1" });
    const children = await ask("issue_list", { where: { parent: "bd-1" } });
    expect(children).toBe(
      [
        "parent: bd-1 P2 epic open: title of bd-1",
        "bd-2 P2 task open: title of bd-2",
        "bd-3 P2 task open: title of bd-3",
        "(2 of 2)",
      ].join("\n"),
    );
    expect(await ask("issue_list", { where: { parent: "bd-2" } })).toBe("none");
  });
});

describe("issue_ready", () => {
  beforeEach(() =>
    create(
      { id: "bd-1" },
      { id: "bd-2", assignee: "bo" },
      { id: "bd-3", assignee: "ann" },
      { id: "bd-4", assignee: "" },
    ),
  );

  test("leaves out issues that are assigned to others, and says how many", async () => {
    const text = await ask("issue_ready");
    expect(idsOf(text)).toEqual(["bd-1", "bd-3", "bd-4"]);
    expect(text).toContain('(3 of 3)\n1 more is assigned to others: where {"assignee": "any"}.');
    expect(idsOf(await ask("issue_ready", { where: { assignee: "any" } }))).toHaveLength(4);
    expect(idsOf(await ask("issue_ready", { where: { assignee: "bo" } }))).toEqual(["bd-2"]);
    expect(await ask("issue_ready", { where: { type: "bug" } })).toBe("none");
  });

  test("shows 5 of more than 20, the total, and how to see more", async () => {
    await create(...Array.from({ length: 23 }, (_, at) => ({ id: `bd-${at + 10}` })));
    const text = await ask("issue_ready");
    expect(idsOf(text)).toHaveLength(5);
    expect(text).toContain("\n(5 of 26)\nNarrow it with where, or set limit.\n1 more is assigned");
    expect(text).not.toContain("cursor");
    const tools = await client.listTools();
    expect(tools.find(({ name }) => name === "issue_ready")?.description).toMatch(/; 5 of many\.$/);
    expect(idsOf(await ask("issue_ready", { limit: 26 }))).toHaveLength(26);
    expect(await ask("issue_ready", { limit: 3 })).toMatch(/\n\(3 of 26\)\nnext: cursor "/);
  });

  test("counts up to 100, and those of others only if there are fewer", async () => {
    await create(...Array.from({ length: 98 }, (_, at) => ({ id: `bd-${at + 100}` })));
    const text = await ask("issue_ready", { limit: 1 });
    expect(text).toMatch(/^bd-1 .*\n\(1 of 100\)\nnext: cursor ".*"\nMore than 100 match\.$/);
    await ask("issue_close", { ids: ["bd-1", "bd-100"] });
    const fewer = await ask("issue_ready", { limit: 1 });
    expect(fewer).toMatch(/\n\(1 of 99\)\nnext: cursor ".*"\n1 more is assigned to others: /);
  });

  test("lists what others work on where in_progress is asked for", async () => {
    await ask("issue_claim", { id: "bd-1", actor: "cy" });
    expect(idsOf(await ask("issue_ready", { in_progress: true }))).toEqual(["bd-1", "bd-3", "bd-4"]);
  });

  test("is what issue_claim takes from", async () => {
    for (const id of ["bd-1", "bd-3", "bd-4"]) expect(await ask("issue_claim")).toMatch(new RegExp(`^${id} .*@ann`));
    expect(await ask("issue_claim")).toMatch(/^not_found: no issue is ready/);
    expect(await ask("issue_claim", { actor: "bo" })).toMatch(/^bd-2 .*@bo/);
  });

  test("leaves an epic out for issue_claim while it has open children, also claimed ones", async () => {
    await ask("issue_close", { ids: ["bd-1", "bd-3", "bd-4"] });
    await create({ id: "ep-1", type: "epic", priority: 0 }, { id: "ep-2", parent: "ep-1" });
    expect(await ask("issue_claim")).toMatch(/^ep-2 /);
    expect(await ask("issue_claim", { actor: "cy" })).toMatch(/^not_found: no issue is ready; ep-2 is claimed by ann/);
    await ask("issue_close", { ids: ["ep-2"] });
    expect(await ask("issue_claim", { actor: "cy" })).toMatch(/^ep-1 /);
  });

  test("is followed by an error of issue_claim that says until when to wait, or that there is nothing to do", async () => {
    await ask("issue_close", { ids: ["bd-3", "bd-4"] });
    await ask("issue_claim", { actor: "cy" });
    expect(await ask("issue_claim")).toMatch(
      /^not_found: no issue is ready; bd-1 is claimed by cy until 20\S+Z\nA lapsed claim can be taken\. issue_ready says/,
    );
    await ask("issue_claim", { actor: "bo" });
    expect(await ask("issue_claim")).toMatch(/ready; bd-1 is claimed by cy until \S+Z, 1 more is claimed\n/);
    await ask("issue_close", { ids: ["bd-1"] });
    await ask("issue_release", { id: "bd-2", actor: "bo" });
    await ask("issue_update", { ids: ["bd-2"], set: { status: "deferred" } });
    expect(await ask("issue_claim")).toMatch(/^not_found: no issue is ready\nissue_ready says/);
    await ask("issue_close", { ids: ["bd-2"] });
    expect(await ask("issue_claim")).toMatch(/^not_found: no issue is ready; none is open\nissue_create adds some\./);
  });
});

describe("changes of all issues that match", () => {
  test("label every open epic without an assignee in one call, and say how many", async () => {
    await create(
      { id: "bd-1", type: "epic" },
      { id: "bd-2", type: "epic", assignee: "bo" },
      { id: "bd-3" },
      { id: "bd-4", type: "epic", labels: ["old"] },
    );
    const where = { issue_type: "epic", assignee: "none" };
    expect(await ask("issue_label", { where, add: ["needs-owner"] })).toBe(
      [
        "changed 2 of 2 that matched:",
        "bd-1 P2 epic open: title of bd-1 #needs-owner",
        "bd-4 P2 epic open: title of bd-4 #old #needs-owner",
      ].join("\n"),
    );
    expect(await ask("issue_label", { where: { status: "open" }, add: ["needs-owner"], remove: ["old"] })).toBe(
      [
        "changed 3 of 4 that matched:",
        "bd-2 P2 epic open: title of bd-2 @bo #needs-owner",
        "bd-3 P2 task open: title of bd-3 #needs-owner",
        "bd-4 P2 epic open: title of bd-4 #needs-owner",
      ].join("\n"),
    );
    expect(await ask("issue_label", { where, add: ["needs-owner"] })).toBe("changed 0 of 2 that matched");
    const none = { ...where, label: "new" };
    expect(await ask("issue_update", { where: none, set: { priority: 0 } })).toBe("changed 0 of 0 that matched");
    const set = { assignee: "cy" };
    expect(await ask("issue_update", { where: { assignee: "none" }, set })).toMatch(
      /^changed 3 of 3 that matched:\nbd-1 .*@cy/,
    );
  });

  test("are all or none, and bounded", async () => {
    await create({ id: "bd-1" }, { id: "bd-2", depends: ["bd-1"] });
    const before = await store.generation();
    const set = { status: "in_progress" };
    expect(await ask("issue_update", { where: { status: "open" }, set })).toMatch(/^conflict: bd-2: blocked by bd-1/);
    expect(await ask("issue_update", { where: {}, set })).toMatch(/^invalid_input: where: expected at least one/);
    expect(await ask("issue_update", { set })).toMatch(/^invalid_input: args: required: ids or where/);
    expect(await ask("issue_update", { ids: ["bd-1"], where: { status: "open" }, set })).toMatch(/not both/);
    expect(await store.generation()).toBe(before);
    for (let at = 0; at < 11; at += 1) {
      await client.callTool("issue_create", {
        issues: Array.from({ length: 100 }, (_, place) => ({ title: `${at} ${place}`, labels: [`l${at % 2}`] })),
      });
    }
    expect(await ask("issue_label", { where: { status: "open" }, add: ["x"] })).toMatch(
      /^too_large: where: 1102 issues match, at most 1000 .*none was changed/,
    );
    const many = await client.callTool("issue_label", { where: { label: "l0" }, add: ["x"] });
    expect(many.structuredContent).toMatchObject({ changed: 600, items: { length: 5 } });
    expect(resultText(many)).toMatch(/^changed 600 of 600 that matched:\n(.*\n){5}\(and 595 more, also changed\)$/);
  });
});

describe("issue_update", () => {
  test("shows an external reference that it sets", async () => {
    await create({ id: "bd-1" });
    const set = (fields: object) => ask("issue_update", { ids: ["bd-1"], set: fields });
    expect(await set({ external_ref: "gh-3" })).toBe("bd-1 P2 task open: title of bd-1 (external_ref gh-3)");
    expect(await set({ priority: 1 })).toBe("bd-1 P1 task open: title of bd-1");
  });
});

describe("issue_show", () => {
  test("leaves out what repeats another field", async () => {
    const created_at = "2026-01-31T23:30:00.123456-08:00";
    const closed_at = "2026-02-01T08:00:00.5Z";
    const [open, closed] = [
      { created_at, updated_at: created_at },
      { created_at, updated_at: closed_at, closed_at },
    ];
    await store.put(importedKind, { title: "Open", ...open }, { id: "bd-1" });
    await store.put(importedKind, { title: "Closed", status: "closed", ...closed }, { id: "bd-2" });
    const fieldsOf = async (id: string) => (await ask("issue_show", { ids: [id] })).split("\n").slice(5);
    expect(await fieldsOf("bd-1")).toEqual(["created_at: 2026-01-31T23:30:00-08:00", "not ready: "]);
    expect(await fieldsOf("bd-2")).toEqual([
      "created_at: 2026-01-31T23:30:00-08:00",
      "closed_at: 2026-02-01T08:00:00Z",
    ]);
  });
});

describe("issue_create", () => {
  test("splits an issue into children of which one waits for another, in one call and any order", async () => {
    await create({ id: "bd-1", type: "bug" });
    const text = await ask("issue_create", {
      issues: [
        { title: "Fix", parent: "bd-1", depends: ["#2"], external_ref: "acme/web#3" },
        { title: "Reproduce", parent: "bd-1" },
      ],
    });
    expect(text).toBe(
      [
        "bd-1.2 P2 task open: Fix (blocked by 1, external_ref acme/web#3)",
        "bd-1.1 P2 task open: Reproduce (blocks 1)",
        "inherited from bd-1: priority 2",
      ].join("\n"),
    );
    expect(await ask("issue_show", { ids: ["bd-1.2"] })).toContain("external_ref: acme/web#3");
    expect(await ask("issue_close", { ids: ["bd-1.1"] })).toContain("unblocked 1:\nbd-1.2 P2 task open: Fix");
  });

  test("says what children have from their parent, and what holds them back with it", async () => {
    await create({ id: "bd-1" }, { id: "bd-2", type: "epic", priority: 1, depends: ["bd-1"] });
    const issues = [{ title: "Own", parent: "bd-2", priority: 3 }];
    expect(await ask("issue_create", { issues })).toBe(
      "bd-2.1 P3 task open: Own\ninherited from bd-2: not ready under bd-2, blocked or deferred",
    );
    const more = { issues: [...issues, { title: "Child", parent: "bd-2" }, { title: "Grandchild", parent: "#2" }] };
    const answer = await client.callTool("issue_create", more);
    const inherited = [
      "inherited from bd-2: not ready under bd-2, blocked or deferred",
      "inherited from bd-2: priority 1",
      "inherited from bd-2.3: priority 1",
      "inherited from bd-2.3: not ready under bd-2, blocked or deferred",
    ];
    expect(resultText(answer).split("\n").slice(3)).toEqual(inherited);
    expect(answer.structuredContent).toMatchObject({ inherited });
    expect(await ask("issue_create", { issues: [{ title: "Alone" }] })).not.toContain("inherited");
  });

  test("refuses a cycle between new issues, and an unknown field", async () => {
    const cycle = [
      { title: "a", depends: ["#2"] },
      { title: "b", parent: "#1" },
    ];
    expect(await ask("issue_create", { issues: cycle })).toMatch(/^conflict: issues\[0\]: a cycle: #1 -> #2 -> #1/);
    expect(await ask("issue_create", { issues: [{ title: "a", external_reff: "x" }] })).toMatch(
      /^invalid_input: issues\[0\]\.external_reff: unknown field/,
    );
  });
});
