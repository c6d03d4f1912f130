import { registerPacks, type CallToolResult } from "@toolpacks/core";
import { filesystem } from "@toolpacks/filesystem";
import { storePack } from "@toolpacks/store";
import { expect, onTestFinished, test } from "vitest";
import { note, notes, undoable, undoOf } from "./undo.fixture.ts";

test("on any server, undo takes back calls of packs that are registered with it", async () => {
  const at = undoable();
  onTestFinished(() => at.end());
  const { root, store } = at;
  const kept = undoOf(at);
  const tools = new Map<string, (args: object, raw: object) => Promise<CallToolResult>>();
  const server = { registerTool: (name: string, _: object, run: never) => tools.set(name, run) };
  const packs = [filesystem({ roots: [root], write: true }), storePack({ store, kinds: [note] }), notes(), kept.pack];
  await registerPacks(server, packs, { interceptors: [kept.interceptor], observers: [kept.observer] });
  const call = async (name: string, args: object) => JSON.stringify(await tools.get(name)?.(args, {}));
  await call("fs_write", { path: "a.txt", content: "one" });
  await call("store_put", { kind: "note", id: "n", record: { text: "one" } });
  expect(await call("undo", { session: "this" })).toContain("took back 2 changes");
  expect(await call("fs_list", {})).not.toContain("a.txt");
  expect(await store.get(note, "n")).toBeUndefined();
});
