import { expect, test } from "vitest";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

test("a restricted store with another own workspace cannot open the workspace of the store", async () => {
  let resolved = 0;
  const store = freshStore({ workspace: () => `server ${(resolved += 1)}` });
  const restricted = store.restrict({ workspace: "team", workspaces: ["team", "shared"], hint: "Ask the user." });
  await restricted.put(task, { title: "a" });
  expect(resolved).toBe(0);
  expect([restricted.workspace, restricted.allowedWorkspaces]).toEqual(["team", ["team", "shared"]]);
  await store.put(task, { title: "b" });
  expect(() => restricted.in("server 1")).toThrow(
    expect.objectContaining({ code: "denied", hint: "Ask the user." }) as Error,
  );
  expect(await restricted.workspaces()).toEqual(["team"]);
  expect((await restricted.query(task, { everyWorkspace: true })).total).toBe(1);
  expect((await store.in("team").query(task)).total).toBe(1);
  expect(() => store.restrict({ workspace: "", workspaces: "own" })).toThrow(/workspace: expected/);
  expect(() => store.restrict({ workspaces: ["a", "b\n"] })).toThrow(/workspace: expected/);
});

test("the end of a restricted store runs the work that was registered on it once, and leaves the store open", async () => {
  const store = freshStore({ workspace: "own" });
  const [first, second] = [store.restrict({ workspaces: "own" }), store.restrict({ workspaces: "all" })];
  const ran: string[] = [];
  first.beforeEnd(async () => void ran.push("first"));
  first.in("own").beforeEnd(async () => {
    ran.push("first, in its workspace");
    throw new Error("fails");
  });
  second.beforeEnd(async () => void ran.push("second"));
  await Promise.all([first.end(), first.end()]);
  expect(ran).toEqual(["first", "first, in its workspace"]);
  await store.put(task, { title: "a" });
  await store.end();
  expect(ran).toEqual(["first", "first, in its workspace", "second"]);
});

test("a workspace given as a function is resolved once, at the first use", async () => {
  let calls = 0;
  const store = freshStore({ workspace: () => `found ${(calls += 1)}` });
  const restricted = store.restrict({ workspaces: "own" });
  for (const one of [store, restricted]) one.beforeEnd(async () => {});
  expect(calls).toBe(0);
  await restricted.put(task, { title: "a" });
  expect((await store.query(task)).total).toBe(1);
  expect(await store.workspaces()).toEqual(["found 1"]);
  expect([store.workspace, restricted.workspace]).toEqual(["found 1", "found 1"]);
  expect(calls).toBe(1);
});

test.each(["", "a\nb", "x".repeat(101)])("%j is refused as a workspace", (name) => {
  expect(() => freshStore().in(name)).toThrow(/workspace: expected/);
});
