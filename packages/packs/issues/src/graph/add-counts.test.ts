import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { everyRecord } from "@toolpacks/store";
import { ToolError, type OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { issueKind } from "../issue-kind.ts";
import { issues } from "../issues.ts";
import type { IssueKind } from "./stored-issues.ts";

const kind = issueKind();
/** The kind without its rule, which writes records as they are. */
const asGiven: IssueKind = { ...kind, rule: ({ after }) => ({ closed: after.status === "closed" }) };

let store: OwnedStore;
let client: PackConnection;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "issues-"));
  store = sqlite(path.join(folder, "store.db"));
  client = await connectPack(issues({ store, actor: "ann" }), "sdk 2, protocol 2026-07-28");
  return async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  };
});

const ask = async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  resultText(await client.callTool(name, args));

/** bd-2 blocks three issues, bd-1 blocks one. */
const created = [
  { id: "bd-1", title: "One" },
  { id: "bd-2", title: "Two", priority: 4 },
  { id: "bd-3", title: "Three", depends: ["bd-1", "bd-2"] },
  { id: "bd-4", title: "Four", depends: ["bd-2"] },
  { id: "bd-5", title: "Five", depends: ["bd-2", "related:bd-1"] },
  { id: "bd-6", title: "Six", depends: ["bd-1"], status: "closed" },
];

/** Removes the counts of all issues, as an older version stored them. */
async function removeCounts(): Promise<void> {
  for (const { id, data } of await Array.fromAsync(everyRecord(store, kind, { includeClosed: true }))) {
    const { blockerCount: _blockers, blockedCount: _blocked, ...graph } = data.graph ?? ({} as never);
    await store.put(asGiven, { ...data, graph }, { id });
  }
}

const mostBlocking = [
  "bd-2 P4 task open: Two (blocks 3)",
  "bd-1 P2 task open: One (blocks 1)",
  "bd-3 P2 task open: Three (blocked by 2, blocks 0)",
  "bd-4 P2 task open: Four (blocked by 1, blocks 0)",
  "bd-5 P2 task open: Five (blocked by 1, blocks 0)",
  "(5 of 5)",
].join("\n");

describe("issues that were stored without counts", () => {
  beforeEach(async () => {
    await ask("issue_create", { issues: created });
    await removeCounts();
  });

  test("are listed by how many they block, and found by it", async () => {
    const found = async (where: object) => ask("issue_list", { where });
    expect(await ask("issue_list", { sort: "blocks" })).toBe(mostBlocking);
    await removeCounts();
    expect(await found({ blocks: { gte: 2 } })).toBe("bd-2 P4 task open: Two (blocks 3)\n(1 of 1)");
    await removeCounts();
    expect(await found({ blockers: 2 })).toMatch(/^bd-3 .*\n\(1 of 1\)$/);
    await removeCounts();
    expect(await ask("issue_ready", { sort: "blocks" })).toMatch(/^bd-2 .*\(blocks 3\)\nbd-1 .*\(blocks 1\)\n/);
    await removeCounts();
    expect(await ask("issue_label", { where: { blocks: 1 }, add: ["hub"] })).toMatch(/^changed 1 issue:\nbd-1 /);
  });

  test("have counts after the first list, with their other fields as they were", async () => {
    const before = await Array.fromAsync(everyRecord(store, kind));
    await ask("issue_list");
    const generation = await store.generation();
    const after = await Array.fromAsync(everyRecord(store, kind));
    for (const [at, { data }] of after.entries()) {
      const { blockerCount, blockedCount, ...graph } = data.graph ?? ({} as never);
      expect([blockerCount, blockedCount]).toEqual([expect.any(Number), expect.any(Number)]);
      expect({ ...data, graph }).toEqual(before[at]?.data);
    }
    await ask("issue_list", { sort: "blocks" });
    expect(await store.generation()).toBe(generation);
  });

  test("have counts after an import of an archive into a running server", async () => {
    const archive = await Array.fromAsync(store.export());
    expect(await ask("issue_list", { sort: "blocks" })).toBe(mostBlocking);
    await store.import(archive, [kind]);
    expect(await ask("issue_list", { sort: "blocks" })).toBe(mostBlocking);
  });

  test("are listed without counts if they cannot be written", async () => {
    const readOnly = Object.assign(Object.create(store) as OwnedStore, {
      query: store.query.bind(store),
      transaction: async () => {
        throw new ToolError("unavailable", "the store is read-only");
      },
    });
    const reader = await connectPack(issues({ store: readOnly }), "sdk 2, protocol 2026-07-28");
    expect(resultText(await reader.callTool("issue_list", { limit: 1 }))).toMatch(/^bd-1 P2 task open: One\n/);
    await reader.close();
  });
});
