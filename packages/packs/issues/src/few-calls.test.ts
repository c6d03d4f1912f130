import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { issues } from "./index.ts";

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
    expect(unknown).toMatch(/^invalid_input: where: blocks.*most/);
    expect(await ask("issue_list", { sort: "block" })).toMatch(/^invalid_input: sort: expected one of .*blocks/);
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
    for (const where of [
      { issue_type: "bug", priority: [0, 1], assignee: "none" },
      { type: "bug", priority: { lte: 1 }, assignee: "" },
      { type: ["bug", "chore"], status: ["open", "blocked"], priority: [0, 1], assignee: ["none", "cy"] },
    ]) {
      const text = await ask("issue_list", { where, sort: "created_at" });
      expect(text.split("\n")).toEqual([
        "bd-1 P1 bug open: title of bd-1",
        "bd-2 P0 bug open: title of bd-2",
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

  test("names a misspelt condition and those that it knows", async () => {
    const text = await ask("issue_list", { where: { asignee: "none" } });
    expect(text).toMatch(/^invalid_input: where\.asignee: unknown field, did you mean assignee\?/);
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
    expect(text).toContain(
      '(3 of 3)\nWithout 1 ready issue that is assigned to others; where {"assignee": "any"} lists all.',
    );
    expect(idsOf(await ask("issue_ready", { where: { assignee: "any" } }))).toHaveLength(4);
    expect(idsOf(await ask("issue_ready", { where: { assignee: "bo" } }))).toEqual(["bd-2"]);
    expect(await ask("issue_ready", { where: { type: "bug" } })).toBe("none");
  });

  test("lists what others work on where in_progress is asked for", async () => {
    await ask("issue_claim", { id: "bd-1", actor: "cy" });
    expect(idsOf(await ask("issue_ready", { in_progress: true }))).toEqual(["bd-1", "bd-3", "bd-4"]);
  });

  test("is what issue_claim takes from", async () => {
    for (const id of ["bd-1", "bd-3", "bd-4"]) expect(await ask("issue_claim")).toMatch(new RegExp(`^${id} .*@ann`));
    expect(await ask("issue_claim")).toMatch(/^not_found: no issue is ready\nissue_ready says/);
    expect(await ask("issue_claim", { actor: "bo" })).toMatch(/^bd-2 .*@bo/);
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
        "changed 2 issues:",
        "bd-1 P2 epic open: title of bd-1 #needs-owner",
        "bd-4 P2 epic open: title of bd-4 #old #needs-owner",
      ].join("\n"),
    );
    const none = { ...where, label: "new" };
    expect(await ask("issue_update", { where: none, set: { priority: 0 } })).toBe(
      "changed 0 issues: none matches where",
    );
    const set = { assignee: "cy" };
    expect(await ask("issue_update", { where: { assignee: "none" }, set })).toMatch(/^changed 3 issues:\nbd-1 .*@cy/);
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
    expect(resultText(many)).toMatch(/^changed 600 issues:\n(.*\n){5}\(and 595 more, also changed\)$/);
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
      ["bd-1.2 P2 task open: Fix (blocked by 1)", "bd-1.1 P2 task open: Reproduce (blocks 1)"].join("\n"),
    );
    expect(await ask("issue_show", { ids: ["bd-1.2"] })).toContain("external_ref: acme/web#3");
    expect(await ask("issue_close", { ids: ["bd-1.1"] })).toContain("unblocked 1:\nbd-1.2 P2 task open: Fix");
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
