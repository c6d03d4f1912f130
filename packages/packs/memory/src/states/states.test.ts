import { storePack } from "@toolpacks/store";
import { connectPack, resultText } from "@toolpacks/testkit";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { conversation, type Conversation } from "../pack.fixture.ts";
import { state } from "./state.ts";

let talk: Conversation;
beforeEach(() => {
  talk = conversation();
  return () => talk.end();
});
const ask: Conversation["ask"] = (...call) => talk.ask(...call);

const saved = { memory: "The schema is agreed.", goal: "Move billing", next: ["dry run"], files: ["plan.md"] };

test("a state is loaded as it was saved", async () => {
  expect(await ask("state_save", { name: "one", ...saved, session: "s1" })).toBe("saved: one");
  expect(await ask("state_load", { name: "one" })).toMatch(
    /^state one \(saved 20.*, session s1\)\ngoal: Move billing\nmemory: The schema is agreed\.\nnext:\n- dry run\nfiles: plan\.md$/,
  );
});

test("a state never changes, through memory tools or store tools", async () => {
  await ask("state_save", { name: "one", ...saved });
  expect(await ask("state_save", { name: "one", memory: "other", goal: "other" })).toMatch(
    /^conflict: name: there is a state "one" already, and states never change\n/,
  );
  const put = talk.store.put(state, { goal: "other" }, { id: "one", patch: true });
  await expect(put).rejects.toMatchObject({ code: "conflict" });
  expect(await ask("state_load", { name: "one" })).toContain("Move billing");
});

test("an archived state keeps its name, and can still be loaded", async () => {
  await ask("state_save", { name: "one", ...saved });
  expect(await ask("state_archive", { name: "one", note: "done" })).toBe("archived: one");
  expect(await ask("state_list")).toBe("none");
  expect(await ask("state_list", { archived: true })).toMatch(/^one: Move billing \(saved 20.*, archived 20/);
  expect(await ask("state_save", { name: "one", ...saved })).toMatch(/^conflict/);
  expect(await ask("state_load", { name: "one" })).toContain("The schema is agreed.");
});

test("a state's name is free in another workspace", async () => {
  await ask("state_save", { name: "one", ...saved });
  await talk.store.in("other").put(state, { name: "one", memory: "m", goal: "g" });
  expect(await ask("state_load", { name: "one", workspace: "other" })).toContain("goal: g");
});

test("states are listed newest first, by session, page by page", async () => {
  for (let at = 0; at < 25; at += 1) {
    await ask("state_save", { name: `state${at}`, ...saved, session: at % 2 === 0 ? "even" : "odd" });
  }
  const few = await ask("state_list");
  expect(few.split("\n")[0]).toMatch(/^state24: /);
  expect(few).toContain("(5 of 25)");
  expect(await ask("state_list", { session: "odd", limit: 1 })).toMatch(/^state23: .*\n\(1 of 12\)/);
  const cursor = /cursor "(.*)"/.exec(few)?.[1];
  expect(await ask("state_list", { cursor })).toMatch(/^state19: /);
});

test("a wrong name is answered with the nearest name", async () => {
  expect(await ask("state_load", { name: "x" })).toMatch(/None was saved here/);
  await ask("state_save", { name: "before-migration", ...saved });
  expect(await ask("state_load", { name: "before-migratoin" })).toBe(
    'not_found: name: there is no state "before-migratoin" in the workspace default\nNearest: before-migration.',
  );
});

test("store_query finds a state by other words", async () => {
  await ask("state_save", { name: "one", memory: "m", goal: "Repair the car" });
  const client = await connectPack(storePack({ store: talk.store, kinds: [state] }), "sdk 2, protocol 2026-07-28");
  onTestFinished(() => client.close());
  const find = async (text: string) => resultText(await client.callTool("store_query", { kind: "state", text }));
  expect(await find("vehicle")).toMatch(/^one .*\nNone has all of the words; these have some/);
  expect(await find("quantum chromodynamics")).toBe("none");
});
