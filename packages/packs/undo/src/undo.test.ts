import { once } from "node:events";
import fs, {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createServer } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { putEntry } from "./entry.ts";
import { readLeaf } from "./leaf.ts";
import { note, undoable, type Undoable } from "./undo.fixture.ts";

let at: Undoable;
beforeEach(() => {
  at = undoable();
  return () => at.end();
});

const read = (name: string) => readFileSync(path.join(at.root, name), "utf8");
const has = (name: string) => existsSync(path.join(at.root, name));
type Listed = Readonly<Record<"call" | "tool", string>> & { undone?: string; changes: readonly string[] };
const list = async (args: object = {}) => (await at.call("undo_list", { undone: true, ...args }))["items"] as Listed[];
const lastCall = async () => (await list())[0]?.call ?? "";

describe("undo of one call", () => {
  test("puts back a replaced, an edited, a created and a deleted file", async () => {
    await at.call("fs_write", { path: "a.txt", content: "one\n" });
    await at.call("fs_write", { path: "a.txt", content: "two\n", overwrite: true });
    await at.call("undo", { call: await lastCall() });
    expect(read("a.txt")).toBe("one\n");
    await at.call("fs_edit", { path: "a.txt", edits: [{ old: "one", new: "three" }] });
    await at.call("undo", { call: await lastCall() });
    expect(read("a.txt")).toBe("one\n");
    await at.call("fs_delete", { path: "a.txt", permanent: true });
    expect(has("a.txt")).toBe(false);
    await at.call("undo", { call: await lastCall() });
    expect(read("a.txt")).toBe("one\n");
    await at.call("fs_write", { path: "new/deep/b.txt", content: "b", parents: true });
    expect(await at.text("undo", { call: await lastCall() })).toContain("created new");
    expect(has("new")).toBe(false);
  });

  test("puts back moves, copies, folders and the trash", async () => {
    await at.call("fs_write", { path: "d/e/a.txt", content: "a", parents: true });
    await at.call("fs_write", { path: "d/b.txt", content: "b" });
    symlinkSync("b.txt", path.join(at.root, "d/link"));
    await at.call("fs_move", { from: "d", to: "moved" });
    await at.call("undo", { call: await lastCall() });
    expect([read("d/e/a.txt"), read("d/b.txt"), read("d/link"), has("moved")]).toEqual(["a", "b", "b", false]);
    await at.call("fs_copy", { from: "d", to: "copied" });
    await at.call("undo", { call: await lastCall() });
    expect(has("copied")).toBe(false);
    await at.call("fs_delete", { path: "d" });
    await at.call("undo", { call: await lastCall() });
    expect([read("d/e/a.txt"), read("d/link")]).toEqual(["a", "b"]);
    await at.call("fs_mkdir", { path: "x/y" });
    await at.call("undo", { call: await lastCall() });
    expect(has("x")).toBe(false);
  });

  test("puts back records: created, replaced, closed", async () => {
    await at.call("store_put", { kind: "note", id: "n", record: { text: "one" } });
    await at.call("store_put", { kind: "note", id: "n", record: { text: "two" } });
    await at.call("store_close", { kind: "note", id: "n" });
    await at.call("undo", { call: await lastCall() });
    expect(await at.store.get(note, "n")).toMatchObject({ closed: false, data: { text: "two" } });
    const calls = await list({ tool: "store_put" });
    await at.call("undo", { call: calls[0]?.call });
    expect((await at.store.get(note, "n"))?.data).toEqual({ text: "one" });
    await at.call("undo", { call: calls[1]?.call });
    expect(await at.store.get(note, "n")).toBeUndefined();
    expect(await list({ undone: false })).toEqual([]);
    await at.call("undo", { call: await lastCall() });
    expect(await list({ undone: false })).toMatchObject([{ call: calls[1]?.call }]);
  });

  test("is a change that can be taken back", async () => {
    await at.call("fs_write", { path: "a.txt", content: "one" });
    await at.call("store_put", { kind: "note", id: "n", record: { text: "one" } });
    await at.call("undo", { session: "s" }, { session: "s" }).catch(() => {});
    await at.call("fs_write", { path: "a.txt", content: "two", overwrite: true });
    const [second] = await list();
    for (let round = 0; round < 3; round += 1) {
      await at.call("undo", { call: second?.call });
      expect(read("a.txt")).toBe("one");
      expect((await list())[1]?.undone ?? (await list({ tool: "fs_write" }))[0]?.undone).toBeDefined();
      await at.call("undo", { call: await lastCall() });
      expect(read("a.txt")).toBe("two");
    }
    await expect(at.call("undo", { call: "unknown" })).rejects.toThrow("no such call");
  });
});

describe("undo of several calls", () => {
  test("takes back a session, in the right order, and leaves others' changes", async () => {
    const mine = { session: "mine" };
    await at.call("fs_write", { path: "a.txt", content: "0" }, { session: "other" });
    await at.call("fs_write", { path: "a.txt", content: "1", overwrite: true }, mine);
    await at.call("fs_write", { path: "d/b.txt", content: "b", parents: true }, mine);
    await at.call("fs_write", { path: "d/c.txt", content: "c" }, mine);
    await at.call("fs_edit", { path: "d/b.txt", edits: [{ old: "b", new: "bb" }] }, mine);
    await at.call("fs_move", { from: "d", to: "e" }, mine);
    await at.call("fs_write", { path: "e/b.txt", content: "bbb", overwrite: true }, mine);
    await at.call("store_put", { kind: "note", id: "n", record: { text: "mine" } }, mine);
    await at.call("store_put", { kind: "note", id: "o", record: { text: "other" } }, { session: "other" });
    const dry = await at.text("undo", { session: "this", dryRun: true }, mine);
    expect(dry).toContain("-bbb");
    expect(read("e/b.txt")).toBe("bbb");
    await at.call("undo", { session: "this" }, mine);
    expect([read("a.txt"), has("d"), has("e")]).toEqual(["0", false, false]);
    expect([await at.store.get(note, "n"), (await at.store.get(note, "o"))?.data]).toEqual([
      undefined,
      { text: "other" },
    ]);
    await at.call("undo", { call: await lastCall() });
    expect([read("a.txt"), read("e/b.txt"), read("e/c.txt")]).toEqual(["1", "bbb", "c"]);
  });

  test("refuses where somebody else has changed the same since, names it, and offers the rest", async () => {
    const mine = { session: "mine" };
    await at.call("fs_write", { path: "a.txt", content: "1" }, mine);
    await at.call("fs_write", { path: "b.txt", content: "1" }, mine);
    await at.call("store_put", { kind: "note", id: "n", record: { text: "mine" } }, mine);
    await at.call("fs_write", { path: "a.txt", content: "2", overwrite: true }, { session: "other" });
    await at.call("store_put", { kind: "note", id: "n", record: { text: "other" } }, { session: "other" });
    const refusal = at.call("undo", { session: "mine" });
    await expect(refusal).rejects.toThrow(/a\.txt: it was changed since; take back fs_write \S+ session other/);
    await expect(refusal).rejects.toThrow(/note n: it was changed since; take back store_put \S+ session other/);
    await expect(refusal).rejects.toThrow('"skipConflicts": true takes back what can be, 1 in all');
    expect(has("b.txt")).toBe(true);
    await at.call("undo", { session: "mine", skipConflicts: true });
    expect([read("a.txt"), has("b.txt")]).toEqual(["2", false]);
  });

  test("refuses what another program has changed", async () => {
    await at.call("fs_write", { path: "a.txt", content: "1" });
    writeFileSync(path.join(at.root, "a.txt"), "by hand");
    await expect(at.call("undo", { call: await lastCall() })).rejects.toThrow("a.txt: it was changed since");
    await at.call("fs_mkdir", { path: "d" });
    writeFileSync(path.join(at.root, "d/x"), "by hand");
    await expect(at.call("undo", { call: await lastCall() })).rejects.toThrow("there is something else in it");
    await at.call("store_put", { kind: "note", id: "n", record: { text: "mine" } });
    await at.store.put(note, { text: "another" }, { id: "n" });
    await expect(at.call("undo", { call: await lastCall() })).rejects.toThrow("note n: another program");
  });

  test("takes back everything since a time or a generation", async () => {
    await at.call("store_put", { kind: "note", id: "n", record: { text: "1" } });
    await at.call("fs_write", { path: "a.txt", content: "1" });
    const generation = await at.store.generation();
    await at.call("store_put", { kind: "note", id: "n", record: { text: "2" } });
    await at.call("fs_write", { path: "a.txt", content: "2", overwrite: true });
    await at.call("undo", { since: generation });
    expect([read("a.txt"), (await at.store.get(note, "n"))?.data]).toEqual(["1", { text: "1" }]);
    await at.call("undo", { since: "2020-01-01T00:00:00Z" });
    expect([has("a.txt"), await at.store.get(note, "n")]).toEqual([false, undefined]);
  });
});

test("moves are undone as moves, with what they replaced, and with hard links and large files", async () => {
  const small = undoable(undefined, { maxFileBytes: 10 });
  const inRoot = (name: string) => path.join(small.root, name);
  writeFileSync(inRoot("long-name.txt"), "moved, and larger than ten bytes");
  writeFileSync(inRoot("b"), "old");
  await small.call("fs_move", { from: "long-name.txt", to: "b", overwrite: true });
  mkdirSync(inRoot("d"));
  writeFileSync(inRoot("d/a"), "one");
  linkSync(inRoot("d/a"), inRoot("d/b"));
  await small.call("fs_move", { from: "d", to: "e" });
  expect(await small.text("undo_list", {})).toMatch(/moved d to e/);
  // Somebody else's change inside goes back with it.
  writeFileSync(inRoot("e/c"), "added");
  await small.call("undo", { since: 0 });
  const texts = ["long-name.txt", "b", "d/a", "d/b", "d/c"].map((name) => readFileSync(inRoot(name), "utf8"));
  expect(texts).toEqual(["moved, and larger than ten bytes", "old", "one", "one", "added"]);
  expect(existsSync(inRoot("e"))).toBe(false);
  await small.end();
});

describe("what somebody else has done since is a conflict", () => {
  const [ann, ben] = [{ session: "ann" }, { session: "ben" }];
  const undoOfAnn = () => at.call("undo", { session: "ann" });

  test("where it has made the state from before the call", async () => {
    await at.call("fs_mkdir", { path: "d" }, ann);
    await at.call("fs_delete", { path: "d", permanent: true }, ben);
    await expect(undoOfAnn()).rejects.toThrow(/d: it was changed since; take back fs_delete \S+ session ben/);
  });

  test("where it has moved on what the call had moved, and stands in its place", async () => {
    await at.call("fs_mkdir", { path: "d" }, ben);
    await at.call("fs_move", { from: "d", to: "e" }, ann);
    await at.call("fs_move", { from: "e", to: "f" }, ben);
    await at.call("fs_write", { path: "e/b.txt", content: "b", parents: true }, ben);
    await expect(undoOfAnn()).rejects.toThrow("it was changed since");
    expect(read("e/b.txt")).toBe("b");
  });

  test("where it has moved the folder of what the call had created", async () => {
    await at.call("fs_mkdir", { path: "d" }, ben);
    await at.call("fs_write", { path: "d/a.txt", content: "a" }, ann);
    await at.call("fs_move", { from: "d", to: "e" }, ben);
    await expect(undoOfAnn()).rejects.toThrow(/d\/a\.txt: it was changed since; take back fs_move \S+ session ben/);
    expect(read("e/a.txt")).toBe("a");
  });

  test.each<readonly [string, string, () => Promise<unknown>]>([
    ["makes the state from before", "a.txt", () => at.call("fs_delete", { path: "a.txt", permanent: true }, ben)],
    ["changes a file", "a.txt", () => at.call("fs_write", { path: "a.txt", content: "ben", overwrite: true }, ben)],
    ["changes a record", "note n", () => at.call("store_put", { kind: "note", id: "n", record: { text: "ben" } }, ben)],
  ])("where it %s while an undo runs that was checked before", async (_, place, change) => {
    await at.call("fs_write", { path: "a.txt", content: "ann" }, ann);
    await at.call("store_put", { kind: "note", id: "n", record: { text: "ann" } }, ann);
    await at.call("tracker_open", { number: 7 }, ann);
    at.hooks.closing = change;
    await expect(undoOfAnn()).rejects.toThrow(
      new RegExp(`${place}: it was changed since; take back \\w+ \\S+ session ben`),
    );
    const undone = (await list()).filter((one) => one.undone !== undefined);
    expect(undone.map(({ tool }) => tool)).not.toContain(place === "a.txt" ? "fs_write" : "store_put");
  });

  test("where the call had taken it back, and that is taken back", async () => {
    await at.call("store_put", { kind: "note", id: "n", record: { text: "ann" } }, ann);
    await at.call("store_put", { kind: "note", id: "n", record: { text: "ben" } }, ben);
    await at.call("undo", { session: "ben" }, ann);
    await expect(undoOfAnn()).rejects.toThrow(/note n: it was changed since; take back store_put \S+ session ben/);
    expect((await at.store.get(note, "n"))?.data.text).toBe("ann");
  });
});

test("all is checked first, also of folders that are moved between", async () => {
  const ann = { session: "ann" };
  await at.call("fs_mkdir", { path: "d" }, ann);
  await at.call("fs_write", { path: "d/x", content: "x" }, { session: "ben" });
  await at.call("fs_move", { from: "d", to: "e" }, ann);
  await at.call("fs_delete", { path: "e/x", permanent: true }, ann);
  await expect(at.call("undo", { session: "ann" })).rejects.toThrow(
    /and nothing was:\n.*there is something else in it/,
  );
  expect(has("e/x")).toBe(false);
});

test("a call that has left too much for an entry says so, and no later call waits for it", async () => {
  const long = path.join(at.root, "d", ...Array.from({ length: 15 }, () => "x".repeat(200)));
  mkdirSync(long, { recursive: true });
  for (let count = 0; count < 3_000; count += 1) writeFileSync(path.join(long, String(count)), "");
  expect(await at.text("fs_copy", { from: "d", to: "e" })).toContain("cannot be taken back: it changes too much");
  await at.call("fs_write", { path: "a.txt", content: "a" });
  await at.call("undo", { call: await lastCall() });
  expect(has("a.txt")).toBe(false);
});

test("what a pipe replaces is not kept, which is said, and a pipe is a conflict", async () => {
  await at.call("fs_write", { path: "a.txt", content: "old" });
  await at.call("fs_mkdir", { path: "d" });
  const socket = createServer().listen(path.join(at.root, "d/p"));
  await once(socket, "listening");
  expect(await at.text("undo", { since: 0, skipConflicts: true })).toMatch(/left: .*pipe or socket/s);
  await at.call("fs_write", { path: "a.txt", content: "old" });
  expect(await at.text("fs_move", { from: "d/p", to: "a.txt", overwrite: true })).toMatch(
    /cannot be taken back: .*pipe/,
  );
  socket.close();
});

test("calls at the same moment on one path, or into one new folder, are undone one by one", async () => {
  const write = (name: string, session: string) =>
    at.call("fs_write", { path: name, content: session, overwrite: true, parents: true }, { session });
  await Promise.all(["A", "B"].flatMap((session) => [write("a.txt", session), write(`new/${session}`, session)]));
  const last = read("a.txt");
  const first = last === "A" ? "B" : "A";
  await expect(at.call("undo", { session: first })).rejects.toThrow(/a\.txt: it was changed since/);
  await at.call("undo", { session: last });
  expect([read("a.txt"), has(`new/${first}`), has(`new/${last}`)]).toEqual([first, true, false]);
});

test("a call whose target becomes free while it waits is kept", async () => {
  await at.call("fs_write", { path: "a.txt", content: "a" });
  await at.call("fs_write", { path: "c.txt", content: "c" });
  const since = await at.store.generation();
  const removal = at.call("fs_delete", { path: "c.txt", permanent: true });
  await Promise.all([removal, at.call("fs_move", { from: "a.txt", to: "c.txt" })]);
  expect([has("a.txt"), read("c.txt")]).toEqual([false, "a"]);
  await at.call("undo", { since });
  expect([read("a.txt"), read("c.txt")]).toEqual(["a", "c"]);
});

test("an undo of several calls has a part for each, so that one of them stays taken back", async () => {
  const put = (id: string, session: string) =>
    at.call("store_put", { kind: "note", id, record: { text: id } }, { session });
  await put("a", "s");
  await put("b", "t");
  await at.call("undo", { since: 0 }, { session: "s" });
  await at.call("undo", { session: "s" });
  expect([await at.store.get(note, "a"), (await at.store.get(note, "b"))?.data.text]).toEqual([undefined, "b"]);
});

test("a time may have whole seconds", async () => {
  const since = `${new Date().toISOString().slice(0, 19)}Z`;
  await at.call("fs_write", { path: "a.txt", content: "1" });
  expect(await list({ since })).toHaveLength(1);
  await at.call("undo", { since });
  expect(has("a.txt")).toBe(false);
});

test("the diff of large files is left out", async () => {
  writeFileSync(path.join(at.root, "large"), "x".repeat(2_000_000));
  await at.call("fs_copy", { from: "large", to: "copy" });
  const dry = await at.text("undo", { call: await lastCall(), dryRun: true });
  expect(dry).toContain("copy: a large file changes");
  expect(dry.length).toBeLessThan(1_000);
});

test("a call that deletes what is protected says that it cannot be taken back, and undo changes nothing", async () => {
  mkdirSync(path.join(at.root, "d/e/.git"), { recursive: true });
  writeFileSync(path.join(at.root, "d/a.txt"), "a");
  const problem = "cannot be taken back: .git in it is protected";
  expect(await at.text("fs_delete", { path: "d", permanent: true })).toContain(problem);
  for (const more of [{}, { skipConflicts: true }]) {
    const answer = await at.text("undo", { since: 0, ...more }).catch(String);
    expect(answer).toMatch(/fs_delete: .git in it is protected/);
    expect(has("d")).toBe(false);
  }
});

test("a folder with what is protected now does not come back by half", async () => {
  await at.call("fs_write", { path: "d/e/x/a.txt", content: "a", parents: true });
  await at.call("fs_delete", { path: "d", permanent: true });
  const open = () => sqlite(path.join(at.folder, "store.db"));
  const strict = undoable(open, { roots: [at.root], protection: { protect: ["x"] } });
  await expect(strict.call("undo", { call: await lastCall() })).rejects.toThrow("d/e/x: it is protected");
  expect(has("d")).toBe(false);
  await strict.end();
});

test("undo writes no protected path and follows no link", async () => {
  mkdirSync(path.join(at.root, "d/.git"), { recursive: true });
  writeFileSync(path.join(at.root, "d/.git/config"), "[core]");
  await at.call("fs_copy", { from: "d", to: "e" });
  await expect(at.call("undo", { call: await lastCall() })).rejects.toThrow(".git in it is protected");
  await at.call("fs_write", { path: "f/a.txt", content: "1", parents: true });
  await at.call("fs_write", { path: "f/a.txt", content: "2", overwrite: true });
  const { renameSync } = await import("node:fs");
  renameSync(path.join(at.root, "f"), path.join(at.root, "g"));
  symlinkSync("g", path.join(at.root, "f"));
  await expect(at.call("undo", { call: await lastCall() })).rejects.toThrow(
    /its folder is gone|link stands|changed since/,
  );
  expect(read("g/a.txt")).toBe("2");
});

describe("a call of another server", () => {
  test("is taken back by its inverse, and without one the list says that it cannot be", async () => {
    await at.call("tracker_open", { number: 7 }, { session: "s" });
    expect([...at.issues]).toEqual([7]);
    expect((await list())[0]?.changes).toEqual(['undo calls tracker_close {"number":7}']);
    await at.call("undo", { session: "s" });
    expect([...at.issues]).toEqual([]);
    await expect(at.call("undo", { session: "s" })).rejects.toThrow("taken back already");
    await at.call("tracker_close", { number: 7 });
    expect((await list())[0]?.changes).toEqual(["cannot be taken back: tracker_close has no inverse"]);
    await expect(at.call("undo", { call: await lastCall() })).rejects.toThrow("has no inverse");
  });
});

test("a file that is too large is not kept, and the reply says so", async () => {
  const small = undoable(undefined, { maxFileBytes: 10 });
  await small.call("fs_write", { path: "a.txt", content: "more than ten bytes" });
  expect(await small.text("fs_write", { path: "a.txt", content: "x", overwrite: true })).toContain(
    "it is too large to be kept",
  );
  const { items } = await small.call("undo_list", {});
  expect(JSON.stringify(items)).toContain("cannot be taken back");
  await small.end();
});

test("a file that cannot be read is not kept, and the reply says so", async () => {
  const file = path.join(at.root, "a.txt");
  writeFileSync(file, "secret", { mode: 0 });
  writeFileSync(path.join(at.root, "b.txt"), "new");
  const { openSync } = fs;
  // Root may read every file.
  fs.openSync = (name, ...more) => {
    if (name === file) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    return openSync(name, ...more);
  };
  syncBuiltinESMExports();
  const reply = await at.text("fs_move", { from: "b.txt", to: "a.txt", overwrite: true }).finally(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  expect(reply).toContain("This call cannot be taken back: a file cannot be read");
  await expect(at.call("undo", { call: await lastCall() })).rejects.toThrow("a file cannot be read");
});

test("an undo that removes a file that is too large to be kept says that it cannot be taken back", async () => {
  const small = undoable(undefined, { maxFileBytes: 10 });
  await small.call("fs_write", { path: "a.txt", content: "more than ten bytes" });
  const notice = "This call cannot be taken back: it is too large to be kept";
  expect(await small.text("undo", { since: 0 })).toContain(notice);
  expect(existsSync(path.join(small.root, "a.txt"))).toBe(false);
  await expect(small.call("undo", { since: 0, skipConflicts: true })).resolves.toMatchObject({ undone: [] });
  expect(await small.text("undo_list", { tool: "undo", undone: true })).toContain("cannot be taken back");
  await small.end();
});

test("principals see and take back their own calls only", async () => {
  await at.call("fs_write", { path: "a.txt", content: "1" }, { principal: "ann" });
  expect((await at.call("undo_list", {}, { principal: "ben" }))["items"]).toEqual([]);
  const call = await lastCall();
  await expect(at.call("undo", { call }, { principal: "ben" })).rejects.toThrow("no such call");
  await at.call("undo", { call }, { principal: "ann" });
  expect(has("a.txt")).toBe(false);
});

test("the call of a killed process is listed, and taken back with what it left; an interrupted undo goes on", async () => {
  await at.call("fs_write", { path: "a.txt", content: "one" });
  const [first] = await list();
  writeFileSync(path.join(at.root, "b.txt"), "half done");
  const facts = { principal: "", place: "default", at: new Date().toISOString(), running: `${hostname()} 99999999` };
  const files = [{ path: path.join(at.root, "b.txt"), before: null }];
  const interrupted = [{ path: path.join(at.root, "a.txt"), before: null }];
  const undoes = (await at.entries())[0]?.id;
  const local = at.store.local();
  const written = { ...facts, call: "x-1", unit: "x-1", tool: "fs_write", files };
  await putEntry(local, { ...written, id: "zzzzzzzz00000001" });
  const undoing = { ...facts, call: "x-2", unit: "x-2", tool: "undo", files: interrupted };
  await putEntry(local, { ...undoing, ...(undoes !== undefined && { undoes }), id: "zzzzzzzz00000002" });
  expect((await list()).map(({ call }) => call)).toEqual(["x-2", "x-1", first?.call]);
  // What a person changes later is not the call's.
  writeFileSync(path.join(at.root, "b.txt"), "edited");
  await expect(at.call("undo", { call: "x-1" })).rejects.toThrow("b.txt: it was changed since");
  writeFileSync(path.join(at.root, "b.txt"), "half done");
  await at.call("undo", { call: "x-1" });
  expect(has("b.txt")).toBe(false);
  await at.call("undo", { call: first?.call });
  expect(has("a.txt")).toBe(false);
});

test("an undo that was killed while it put back a folder goes on, also with the folder's mode", async () => {
  const modeOf = (name: string) => statSync(path.join(at.root, name)).mode & 0o777;
  mkdirSync(path.join(at.root, "d/e"), { recursive: true });
  writeFileSync(path.join(at.root, "d/e/a.txt"), "a");
  chmodSync(path.join(at.root, "d/e"), 0o500);
  chmodSync(path.join(at.root, "d"), 0o700);
  await at.call("fs_delete", { path: "d", permanent: true });
  const facts = { principal: "", place: "default", at: new Date().toISOString(), running: `${hostname()} 99999999` };
  const undoes = (await at.entries())[0]?.id ?? "";
  const undoing = { ...facts, call: "x-1", unit: "x-1", tool: "undo", undoes };
  await putEntry(at.store.local(), { ...undoing, files: [{ path: path.join(at.root, "d"), before: null }] });
  mkdirSync(path.join(at.root, "d/e"), { recursive: true });
  await at.call("undo", { call: (await list({ tool: "fs_delete" }))[0]?.call });
  expect([read("d/e/a.txt"), modeOf("d"), modeOf("d/e")]).toEqual(["a", 0o700, 0o500]);
});

test("a killed call is ended before a newer call changes the same, and is not taken back over one that was not waited for", async () => {
  const facts = { principal: "", place: "default", at: new Date().toISOString(), tool: "fs_write" };
  const file = path.join(at.root, "b.txt");
  writeFileSync(file, "half done");
  const files = [{ path: file, before: null }];
  const local = at.store.local();
  await putEntry(local, { ...facts, call: "x-1", unit: "x-1", running: `${hostname()} 99999999`, files });
  await at.call("fs_write", { path: "b.txt", content: "newer", overwrite: true });
  await expect(at.call("undo", { call: "x-1" })).rejects.toThrow(/changed since; take back fs_write/);
  await at.call("undo", { call: await lastCall() });
  expect(read("b.txt")).toBe("half done");
  await at.call("undo", { call: "x-1" });
  expect(has("b.txt")).toBe(false);
  await at.call("fs_write", { path: "b.txt", content: "whole" });
  const readLate = { isPartial: true, files: [{ path: file, before: null, after: readLeaf(file) }] };
  await putEntry(local, { ...facts, call: "x-2", unit: "x-2", id: "0".repeat(16), generation: 1, ...readLate });
  await expect(at.call("undo", { call: "x-2" })).rejects.toThrow(/b\.txt: it was changed since; take back fs_write/);
  await at.call("undo", { since: 0 });
  expect(has("b.txt")).toBe(false);
});

test("calls run where nothing can be kept, the reply says so, and the error is reported once", async () => {
  const onError = vi.fn<(error: unknown) => void>();
  const folder = path.join(at.root, "store.db");
  mkdirSync(folder);
  const blocked = undoable(undefined, { local: sqlite(folder).local(), onError });
  expect(await blocked.text("fs_write", { path: "a.txt", content: "1" })).toMatch(/This call cannot be taken back: .+/);
  await blocked.call("fs_write", { path: "a.txt", content: "2", overwrite: true });
  expect(readFileSync(path.join(blocked.root, "a.txt"), "utf8")).toBe("2");
  expect(await blocked.text("tracker_open", { number: 7 })).toContain("This call cannot be taken back");
  expect([...blocked.issues]).toEqual([7]);
  await expect(blocked.call("undo_list", {})).rejects.toThrow("unavailable");
  expect(onError).toHaveBeenCalledTimes(1);
  await blocked.end();
});
