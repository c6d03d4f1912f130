import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, expect, test } from "vitest";
import { converse, type Conversation } from "./conversation.fixture.ts";

let store: OwnedStore;
let talk: Conversation;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "issues-"));
  store = sqlite(path.join(folder, "store.db"));
  talk = converse(store, { actor: "ann" });
  await talk.value("issue_create", {
    issues: [
      { title: "epic", issue_type: "epic", id: "e" },
      { title: "first", parent: "e", id: "e.1" },
      { title: "second", parent: "e", id: "e.2" },
      { title: "announce", id: "after" },
    ],
  });
  return async () => {
    await store.end();
    rmSync(folder, { recursive: true });
  };
});

test("an issue that waits for children is ready when the last one is closed, and blocked again by a new one", async () => {
  await talk.value("issue_depend", { id: "after", on: "e", type: "waits-for" });
  expect(await talk.ask("issue_blocked", {})).toContain("after P2 task open: announce <- e");
  expect(await talk.ask("issue_close", { ids: ["e.1"] })).not.toContain("unblocked");
  expect(await talk.ask("issue_close", { ids: ["e.2"] })).toContain("unblocked 1:\nafter ");
  await talk.value("issue_create", { issues: [{ title: "third", parent: "e" }] });
  expect(await talk.ask("issue_ready", {})).not.toContain("after ");
});

test("an issue that waits for children is ready when the last one holds nothing back", async () => {
  await talk.value("issue_depend", { id: "after", on: "e", type: "waits-for" });
  await talk.value("issue_close", { ids: ["e.1"] });
  const timer = { issue_type: "gate", await_type: "timer", await_until: "2099-05-05T00:00:00Z" };
  await talk.value("issue_update", { ids: ["e.2"], set: timer });
  expect(await talk.ask("issue_ready", {})).toContain("after ");
});

test("one that waits for any child is ready when the first one is closed", async () => {
  await talk.value("issue_depend", { id: "after", on: "e", type: "waits-for", any: true });
  expect(await talk.ask("issue_ready", {})).not.toContain("after ");
  expect(await talk.ask("issue_close", { ids: ["e.2"] })).toContain("after ");
  await talk.value("issue_reopen", { ids: ["e.2"] });
  expect(await talk.ask("issue_ready", {})).not.toContain("after ");
});

test("an issue cannot wait for children that wait for it", async () => {
  await talk.value("issue_depend", { id: "e.1", on: "after" });
  expect(await talk.ask("issue_depend", { id: "after", on: "e", type: "waits-for" })).toMatch(
    /^conflict: dependencies: a cycle: after -> e\.1 -> after/,
  );
  expect(await talk.ask("issue_depend", { id: "e.2", on: "e", type: "waits-for" })).toContain("a cycle: e.2 -> e.2");
  await talk.value("issue_depend", { id: "after", on: "e", type: "waits-for", any: true });
});

test("any is refused of other dependencies", async () => {
  expect(await talk.ask("issue_depend", { id: "after", on: "e", any: true })).toMatch(/^invalid_input: any: only of/);
});
