import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { converse } from "../conversation.fixture.ts";
import { generateIssues } from "../generate-issues.fixture.ts";
import { issueKind } from "../issue-kind.ts";
import { exportIssues, importIssues } from "../tracker.ts";

const kind = issueKind();
let folder = "";
let store: OwnedStore;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "issues-"));
  store = sqlite(path.join(folder, "store.db"));
  return async () => {
    await store.end();
    rmSync(folder, { recursive: true });
  };
});

async function exported(): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  for await (const line of exportIssues({ store, kind })) lines.push(JSON.parse(line));
  return lines;
}

const read = (issues: readonly unknown[], options = {}) =>
  importIssues(
    { store, kind },
    issues.map((issue) => (typeof issue === "string" ? issue : JSON.stringify(issue))),
    options,
  );

describe("a file is exported unchanged", () => {
  test.each([
    ["unknown fields", { flavour: { deep: [1, { x: null }] }, number: 0.1, big: 1e21 }],
    ["nulls", { assignee: null, closed_at: null, dependencies: null, unknown: null }],
    ["no optional fields", {}],
    ["an unknown status and type", { status: "hooked", issue_type: "merge-request", priority: 0 }],
    ["a gate", { issue_type: "gate", await_type: "gh:run", await_id: "9", timeout: 36e11, waiters: ["a@b"] }],
    [
      "a dependency on the children of an issue",
      {
        dependencies: [
          { issue_id: "x-1", depends_on_id: "x-9", type: "waits-for", metadata: '{"gate":"any-children"}' },
          { issue_id: "x-1", depends_on_id: "x-8", type: "conditional-blocks" },
        ],
      },
    ],
    ["a tombstone", { status: "tombstone", deleted_at: "2025-12-25T01:21:01.952723-08:00", delete_reason: "batch" }],
    ["a field with the name of a derived field", { graph: { mine: true } }],
    [
      "dependencies on what is elsewhere",
      { dependencies: [{ issue_id: "x-1", depends_on_id: "external:y", type: "replies-to", thread: 7 }] },
    ],
    [
      "times with their zone and digits",
      { created_at: "2025-11-02T21:58:07.295058123-08:00", updated_at: "0001-01-01T00:00:00Z" },
    ],
    [
      "comments with fields of their own",
      {
        comments: [
          { id: 15, issue_id: "x-1", author: "a", text: "t\u2028\n", created_at: "2026-01-01T00:00:00Z", mood: "ok" },
        ],
      },
    ],
    ["fields with the names of the store's own", { generation: 7, closed: false, workspace: null }],
    ["empty texts and lists", { description: "", labels: [], assignee: "", close_reason: "" }],
  ])("%s", async (_, fields) => {
    const issue = { id: "x-1", title: "one", ...fields };
    expect(await read([issue])).toMatchObject({ added: 1, bad: [] });
    expect(await exported()).toEqual([issue]);
    expect(await read([issue])).toMatchObject({ added: 0, unchanged: 1 });
    expect(await exported()).toEqual([issue]);
  });

  test("except for a field that a tool changed", async () => {
    await read([{ id: "x-1", title: "one", flavour: 1, owner: null }]);
    await converse(store).value("issue_update", { ids: ["x-1"], set: { priority: 0 } });
    expect(await exported()).toEqual([expect.objectContaining({ id: "x-1", flavour: 1, owner: null, priority: 0 })]);
    expect((await exported())[0]).not.toHaveProperty("graph");
  });
});

describe("bad lines", () => {
  const good = { id: "x-1", title: "one" };
  test.each([
    ["invalid JSON", "{", /^expected JSON/],
    ["a value that is not an object", "[]", /^expected an object/],
    ["no id", { title: "t" }, /^id: expected/],
    ["no title", { id: "x-2" }, /^title: required/],
    ["a bad priority", { id: "x-2", title: "t", priority: 9 }, /^priority: /],
    ["a wrong time", { id: "x-2", title: "t", created_at: "yesterday" }, /^created_at: expected an ISO 8601 time/],
    ["an id given twice", { ...good, title: "again" }, /^id: x-1 is given twice, first on line 1/],
    [
      "itself as a dependency",
      { id: "x-2", title: "t", dependencies: [{ depends_on_id: "x-2" }] },
      /cannot depend on itself/,
    ],
    [
      "what is nested too deep",
      `{"id": "x-2", "title": "t", "n": ${"[".repeat(300)}${"]".repeat(300)}}`,
      /^expected objects and arrays at most/,
    ],
    ["half a character", '{"id": "x-2", "title": "\\ud800"}', /half a surrogate pair/],
    [
      "a number that JavaScript cannot keep",
      '{"id": "x-2", "title": "t", "n": 12345678901234567891}',
      /^n: 12345678901234567891 cannot be kept/,
    ],
  ])("%s: reported with its line number; the other lines are imported, or none if strict", async (_, bad, problem) => {
    const lines = [good, "", bad, { id: "x-9", title: "last" }];
    const report = { bad: [{ line: 3, problem: expect.stringMatching(problem) }] };
    expect(await read(lines, { strict: true })).toMatchObject({ added: 0, ...report });
    expect(await store.generation()).toBe(0);
    expect(await read(lines)).toMatchObject({ added: 2, ...report });
    expect(await exported()).toHaveLength(2);
  });

  test("the last line of a cycle, also if part of the cycle is in the store", async () => {
    const depends = (id: string, on: string) => ({
      id,
      title: id,
      dependencies: [{ depends_on_id: on, type: "blocks" }],
    });
    await read([{ id: "x-1", title: "there" }, depends("x-2", "x-1")]);
    const { bad, updated, added } = await read([depends("x-3", "x-2"), depends("x-1", "x-3"), depends("x-4", "x-3")]);
    expect({ updated, added }).toEqual({ updated: 0, added: 2 });
    expect(bad).toEqual([{ line: 2, problem: expect.stringMatching(/^dependencies: a cycle: .*x-1 -> x-3/) }]);
  });
});

describe("a file of long chains is read in seconds", () => {
  const under = (id: string, on: string, type = "parent-child") => ({
    id,
    title: id,
    dependencies: [{ depends_on_id: on, type }],
  });
  const chain = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      at === 0 ? { id: "x-0", title: "top" } : under(`x-${at}`, `x-${at - 1}`),
    );

  test.each([
    ["parents first", chain(3_000)],
    ["parents last", chain(3_000).toReversed()],
  ])("3,000 nested parents, %s: the first 200 levels are imported, the others are reported", async (_, issues) => {
    const started = performance.now();
    const { added, bad } = await read(issues);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect({ added, bad: bad.length }).toEqual({ added: 201, bad: 2_799 });
    expect(bad[0]?.problem).toBe("dependencies: expected at most 200 levels of parents above an issue");
    expect(await read([under("x-new", "x-200")])).toMatchObject({ added: 0, bad: [{ line: 1 }] });
    expect(await read([under("x-new", "x-199")])).toMatchObject({ added: 1, bad: [] });
  });

  test("20,000 levels, an issue with 20,000 parents, and 2,000 cycles", async () => {
    const wide = {
      id: "wide",
      title: "wide",
      dependencies: Array.from({ length: 20_000 }, (_, at) => ({ depends_on_id: `p-${at}`, type: "parent-child" })),
    };
    const cycles = Array.from({ length: 2_000 }, (_, at) => [
      under(`a-${at}`, `b-${at}`, "blocks"),
      under(`b-${at}`, `a-${at}`, "blocks"),
    ]);
    const started = performance.now();
    const { bad } = await read([...chain(20_000), wide, ...cycles.flat()], { strict: true });
    expect(performance.now() - started).toBeLessThan(15_000);
    // All lines below the first levels, one line of each cycle, and the issue with too many parents.
    expect(bad).toHaveLength(20_000 - 201 + 2_000 + 1);
  });
});

describe("an import does not block the process", () => {
  /** The maximum time for which some work blocks the event loop, in ms. */
  async function maxBlockLength(work: () => Promise<unknown>): Promise<number> {
    let [maxPauseMs, before] = [0, performance.now()];
    const timer = setInterval(() => {
      maxPauseMs = Math.max(maxPauseMs, performance.now() - before);
      before = performance.now();
    }, 5);
    await work();
    clearInterval(timer);
    return Math.max(maxPauseMs, performance.now() - before);
  }

  const dense = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: `d-${at}`,
      title: "dense",
      dependencies: Array.from({ length: 20 }, (__, k) => ({
        depends_on_id: `d-${(at + k * 37 + 1) % count}`,
        type: "blocks",
      })),
    }));

  test("of 5,000 issues without dependencies", async () => {
    const flat = Array.from({ length: 5_000 }, (_, at) => ({ id: `f-${at}`, title: "flat" }));
    expect(await maxBlockLength(() => read(flat))).toBeLessThan(1_000);
  });

  test("of 3,000 issues on many cycles, where errors cut long cycles in the middle", async () => {
    let bad: readonly { readonly problem: string }[] = [];
    const work = async () => ({ bad } = await read(dense(3_000), { strict: true }));
    expect(await maxBlockLength(work)).toBeLessThan(1_000);
    expect(bad.length).toBeGreaterThan(0);
    expect(Math.max(...bad.map(({ problem }) => problem.length))).toBeLessThan(300);
  });
});

test("an imported issue replaces the stored one, keeps its age, and updates its dependents", async () => {
  await read([
    { id: "x-1", title: "one", created_at: "2025-01-02T00:00:00Z" },
    { id: "x-2", title: "two", created_at: "2025-01-01T00:00:00Z" },
    { id: "x-3", title: "three", dependencies: [{ depends_on_id: "x-1", type: "blocks" }] },
  ]);
  const { ask } = converse(store);
  expect(await ask("issue_ready")).toMatch(/^x-2 .*\nx-1 /);
  expect(await read([{ id: "x-1", title: "over", status: "closed" }])).toMatchObject({ added: 0, updated: 1 });
  expect(await ask("issue_ready")).toMatch(/x-2.*\n?.*x-3|x-3.*\n.*x-2/);
  await read([{ id: "x-1", title: "again" }]);
  expect(await ask("issue_blocked")).toContain("x-3");
});

test("reports progress, and stops between two batches when it is cancelled", async () => {
  const issues = generateIssues({ count: 1_200 });
  const reports: (readonly number[])[] = [];
  await read(issues, { progress: (...args: number[]) => void reports.push(args) });
  expect(reports).toEqual([
    [500, 1_200],
    [1_000, 1_200],
    [1_200, 1_200],
  ]);
  const cancelled = new AbortController();
  const stopped = importIssues(
    { store: store.in("other"), kind },
    issues.map((one) => JSON.stringify(one)),
    {
      signal: cancelled.signal,
      progress: () => cancelled.abort(),
    },
  );
  await expect(stopped).rejects.toThrow(/aborted/);
  expect((await store.in("other").query(kind, { includeClosed: true, limit: 0 })).total).toBe(500);
});

describe("through the tools", () => {
  test("a file within the roots is imported, and exported unchanged", async () => {
    const issues = generateIssues({ count: 60 });
    writeFileSync(path.join(folder, "in.jsonl"), [...issues.map((one) => JSON.stringify(one)), "{"].join("\n"));
    const { ask } = converse(store, { roots: [folder], write: true });
    expect(await ask("issue_import", { path: "in.jsonl", strict: true })).toMatch(
      /^added 0, .*bad lines 1\nline 61: expected JSON/,
    );
    expect(await ask("issue_import", { path: "in.jsonl" })).toMatch(/^added 60, updated 0, unchanged 0, bad lines 1\n/);
    expect(await ask("issue_export", { path: "out.jsonl" })).toMatch(/^wrote 60 issues, \d+ bytes, to out\.jsonl$/);
    const written = readFileSync(path.join(folder, "out.jsonl"), "utf8").trimEnd().split("\n");
    const sorted = issues.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(sorted);
    expect((await ask("issue_export")).trimEnd().split("\n")).toEqual(written);
  });

  test("an export replaces a file only with overwrite, and leaves it unchanged if it fails", async () => {
    writeFileSync(path.join(folder, "data.jsonl"), "my own records\n");
    const { ask } = converse(store, { roots: [folder], write: true });
    expect(await ask("issue_export", { path: "data.jsonl" })).toBe(
      "conflict: data.jsonl: it exists already\nPass overwrite: true to replace it.",
    );
    expect(readFileSync(path.join(folder, "data.jsonl"), "utf8")).toBe("my own records\n");
    expect(await ask("issue_export", { path: "data.jsonl", overwrite: true })).toMatch(/^wrote 0 issues/);
    expect(readFileSync(path.join(folder, "data.jsonl"), "utf8")).toBe("");
  });

  test("no other file is read or written", async () => {
    const inside = path.join(folder, "inside");
    mkdirSync(inside);
    writeFileSync(path.join(folder, "secret.jsonl"), "{}");
    symlinkSync(path.join(folder, "secret.jsonl"), path.join(inside, "link.jsonl"));
    const { ask } = converse(store, { roots: [inside], write: true });
    for (const name of ["../secret.jsonl", "link.jsonl"]) {
      expect(await ask("issue_import", { path: name })).toMatch(/^denied: /);
      expect(await ask("issue_export", { path: name })).toMatch(/^denied: /);
    }
    expect(await ask("issue_export", { path: "notes.md" })).toMatch(
      /^invalid_input: path: expected the name of a \.jsonl file/,
    );
    expect(await ask("issue_import", { path: "none.jsonl" })).toMatch(/^not_found: /);
    expect(await converse(store, { roots: [inside] }).ask("issue_export", { path: "a.jsonl" })).toMatch(
      /^denied: path: writing is off/,
    );
    expect(await converse(store).ask("issue_import", { path: "a.jsonl" })).toMatch(/^denied: path: no root is given/);
    expect(readFileSync(path.join(folder, "secret.jsonl"), "utf8")).toBe("{}");
  });
});
