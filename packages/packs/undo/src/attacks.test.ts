import fs, {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createCatalog, createDispatcher, definePack, defineTool, type FileEffect, ToolError } from "@toolpacks/core";
import { filesystem } from "@toolpacks/filesystem";
import { removeValue, valueKind } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { type Entry, entryKind, type KeptEntry, putEntry, storedEntries } from "./entry.ts";
import { readLeaf } from "./leaf.ts";
import { child, note, undoable, undoOf, type Undoable } from "./undo.fixture.ts";
import { leftBy } from "./unended-calls.ts";

/** A folder beside the root, which no call may change or show. */
let outside: string;
let at: Undoable;
beforeEach(() => {
  at = undoable();
  outside = path.join(at.folder, "outside");
  mkdirSync(outside);
  for (const name of ["a.txt", "b.txt"]) writeFileSync(path.join(outside, name), "canary");
  return () => at.end();
});

const inRoot = (name: string) => path.join(at.root, name);
const expectCanaries = () => {
  expect(readdirSync(outside).toSorted()).toEqual(["a.txt", "b.txt"]);
  for (const name of ["a.txt", "b.txt"]) expect(readFileSync(path.join(outside, name), "utf8")).toBe("canary");
};
/** Undo of all, after a swap: it may refuse, and shows and changes nothing outside. */
async function undoAll() {
  const dry = await at.text("undo", { since: 0, dryRun: true }).catch(String);
  const done = await at.text("undo", { since: 0, skipConflicts: true }).catch(String);
  expect(dry + done).not.toContain("canary");
  expectCanaries();
}

test.each<readonly [string, () => void]>([
  ["a file", () => (rmSync(inRoot("d/a.txt")), symlinkSync(path.join(outside, "a.txt"), inRoot("d/a.txt")))],
  ["a folder", () => (renameSync(inRoot("d"), inRoot("e")), symlinkSync(outside, inRoot("d")))],
  ["the root", () => (renameSync(at.root, `${at.root}-moved`), symlinkSync(outside, at.root))],
])("a link in place of %s leads undo nowhere", async (_, swap) => {
  await at.call("fs_write", { path: "d/a.txt", content: "one", parents: true });
  await at.call("fs_write", { path: "d/b.txt", content: "one" });
  await at.call("fs_write", { path: "d/a.txt", content: "canarx", overwrite: true });
  await at.call("fs_delete", { path: "d/b.txt", permanent: true });
  swap();
  await undoAll();
});

test("without its old content, a file stays as it is", async () => {
  await at.call("fs_write", { path: "a.txt", content: "one" });
  await at.call("fs_write", { path: "a.txt", content: "two", overwrite: true });
  const local = at.store.local();
  for (const { id } of (await local.query(valueKind)).items) await removeValue(local, id);
  await expect(at.call("undo", { since: 0 })).rejects.toThrow("a.txt: its old content is not kept");
  expect(readFileSync(inRoot("a.txt"), "utf8")).toBe("two");
});

test("no tool writes entries, and a principal takes back only its own calls", async () => {
  const record = {
    call: "x",
    unit: "x",
    tool: "fs_write",
    principal: "",
    place: "default",
    at: "2030-01-01T00:00:00Z",
  };
  const files = [{ path: path.join(outside, "a.txt"), before: null, after: null }];
  const put = at.call("store_put", { kind: "undo_entry", id: "zzzz", record: { ...record, files } });
  await expect(put).rejects.toThrow("undo_entry");
  await at.call("fs_write", { path: "a.txt", content: "1" }, { principal: "ann", session: "s" });
  await at.call("undo", { since: 0 }, { principal: "ben" });
  for (const selection of [{ session: "s" }, { unit: "x" }])
    await expect(at.call("undo", selection, { principal: "ben" })).rejects.toThrow("no such");
  expect(existsSync(inRoot("a.txt"))).toBe(true);
});

test("an entry of a path out of the roots is not taken back", async () => {
  const target = path.join(outside, "a.txt");
  const entry = { call: "x", unit: "x", tool: "fs_write", principal: "", place: "default", at: "2026-01-01T00:00:00Z" };
  const files = [{ path: target, before: null, after: readLeaf(target) }];
  await putEntry(at.store.local(), { ...entry, files, id: "zzzz" });
  await expect(at.call("undo", { call: "x" })).rejects.toThrow(/outside|roots/);
  expectCanaries();
});

test("what was created in a moved folder is not taken back where it is not, after the move was taken back", async () => {
  await at.call("fs_mkdir", { path: "d" }, { session: "ben" });
  await at.call("fs_move", { from: "d", to: "e" }, { session: "ben" });
  const [move] = (await at.entries()).map(({ call }) => call);
  await at.call("fs_write", { path: "e/x", content: "x" }, { session: "ann" });
  await at.call("undo", { call: move }, { session: "ben" });
  const refusal = at.call("undo", { session: "ann" });
  await expect(refusal).rejects.toThrow(/e\/x: it was changed since; take back undo \S+ session ben/);
  const [undo] = (await at.entries()).map(({ call }) => call);
  await at.call("undo", { call: undo });
  await at.call("undo", { session: "ann" });
  await at.call("undo", { since: 0 });
  expect(readdirSync(at.root)).toEqual([]);
});

// Other systems refuse such names.
test.runIf(process.platform === "linux")(
  "a folder with a name that is not UTF-8 is not taken back in part, and no undo ends before it",
  async () => {
    const put = (folder: string) => writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), "x");
    await at.call("fs_mkdir", { path: "d" });
    await at.call("fs_write", { path: "a", content: "a" });
    put(inRoot("d"));
    await expect(at.call("undo", { since: 0 })).rejects.toThrow(/nothing was:\n.*d: there is something else in it/);
    expect(existsSync(inRoot("a"))).toBe(true);
    writeFileSync(inRoot("d/b"), "b");
    await expect(at.call("fs_delete", { path: "d", permanent: true })).rejects.toThrow("is not UTF-8");
    await expect(at.call("fs_move", { from: "a", to: "d", overwrite: true })).rejects.toThrow("is not UTF-8");
    expect(readdirSync(at.root).toSorted()).toEqual(["a", "d"]);
    expect(readFileSync(inRoot("d/b"), "utf8")).toBe("b");
    expect(await at.text("fs_delete", { path: "d" })).toContain("cannot be taken back: a name in it is not UTF-8");
  },
);

test("nothing is dropped while an undo that needs it runs", async () => {
  const few = undoable(undefined, { maxBytes: 1_200_000 });
  const write = (name: number, text: string) => writeFileSync(path.join(few.root, String(name)), text.repeat(1_000));
  const names = Array.from({ length: 220 }, (_, name) => name);
  for (const name of names) write(name, `${name}-`);
  for (const name of names)
    await few.call("fs_write", { path: String(name), content: `${name}=`.repeat(1_000), overwrite: true });
  await few.call("undo", { since: 0 });
  for (const name of names) expect(readFileSync(path.join(few.root, String(name)), "utf8")).toContain(`${name}-`);
  await few.end();
});

test("a move to another device that fails after its copy is not taken back by a removal of the copy", async () => {
  for (const name of ["a", "b"]) await at.call("fs_write", { path: `d/${name}`, content: name, parents: true });
  const leaf = readLeaf(inRoot("d"));
  if (leaf === null) throw new Error("expected a folder");
  const entry = { call: "x", unit: "x", tool: "fs_move", principal: "", place: "default", at: "2026-01-01T00:00:00Z" };
  const moved = { from: inRoot("d"), to: inRoot("e"), leaf };
  const begun = await putEntry(at.store.local(), { ...entry, files: [{ path: moved.to, before: null }], moved });
  cpSync(moved.from, moved.to, { recursive: true });
  rmSync(inRoot("d/a"));
  expect(leftBy(begun, 1e9)).toMatchObject({ problem: "it was moved to another device" });
});

test("a record that its rule refuses now stays as it is, and skipConflicts takes back the rest", async () => {
  for (const id of ["p", "q"]) await at.call("store_put", { kind: "note", id, record: { text: id } });
  await at.call("fs_write", { path: "a.txt", content: "one" });
  await at.call("store_put", { kind: "child", id: "c", record: { parent: "p" } });
  const remove = () => at.call("fs_delete", { path: "a.txt", permanent: true }, { session: "s" });
  await at.call("store_put", { kind: "child", id: "c", record: { parent: "q" } }, { session: "s" });
  await remove();
  await at.store.delete(note, "p");
  await expect(at.call("undo", { session: "s" })).rejects.toThrow(/parent: there is no note p\n1 of 2 .*skipConflicts/);
  await remove();
  const { undone, conflicts } = await at.call("undo", { session: "s", skipConflicts: true });
  expect(undone).toMatchObject([{ tool: "fs_delete" }]);
  expect(conflicts).toMatchObject([{ tool: "store_put", reason: "parent: there is no note p" }]);
  expect(readFileSync(inRoot("a.txt"), "utf8")).toBe("one");
  expect((await at.store.get(child, "c"))?.data).toEqual({ parent: "q" });
});

test("a folder that another program has made in place of a deleted one keeps its mode", async () => {
  await at.call("fs_write", { path: "d/a.txt", content: "a", parents: true });
  await at.call("fs_delete", { path: "d", permanent: true });
  mkdirSync(inRoot("d"), { mode: 0o700 });
  await expect(at.call("undo", { since: 0 })).rejects.toThrow("d: it was changed since");
  expect(statSync(inRoot("d")).mode & 0o777).toBe(0o700);
});

test("undo changes files only where the pack may whose call it takes back", async () => {
  await at.call("fs_write", { path: "d/a.txt", content: "a", parents: true });
  const open = () => sqlite(path.join(at.folder, "store.db"));
  await at.entries();
  const other = undoable(open, { roots: [at.root], rootsByPack: { filesystem: [outside] } });
  await expect(other.call("undo", { since: 0 })).rejects.toThrow("fs_write: a path is outside of its roots");
  await other.end();
});

test("a name with control characters is quoted", async () => {
  await at.call("fs_write", { path: "a\u001b[2J\nb", content: "a" });
  for (const [tool, args] of [
    ["undo_list", {}],
    ["undo", { since: 0, dryRun: true }],
  ] as const)
    expect(await at.text(tool, args)).toContain(String.raw`created "a\u001b[2J\nb"`);
});

test("a move of a folder into itself, which is refused, has no entry", async () => {
  await at.call("fs_mkdir", { path: "d/b" });
  await expect(at.call("fs_move", { from: "d", to: "d/b", overwrite: true })).rejects.toThrow("outside from");
  expect(await at.entries()).toHaveLength(1);
});

test("an undo whose call was dropped is taken back alone only by its own name", async () => {
  await at.call("fs_write", { path: "a.txt", content: "one" });
  await at.call("undo", { since: 0 });
  const [undo, write] = await at.entries();
  await at.store.local().delete(entryKind, write?.id ?? "");
  await expect(at.call("undo", { since: 0 })).resolves.toMatchObject({ undone: [] });
  expect(existsSync(inRoot("a.txt"))).toBe(false);
  await at.call("undo", { call: undo?.call ?? "" });
  expect(readFileSync(inRoot("a.txt"), "utf8")).toBe("one");
});

/** Runs a change of another program right after the next call of a function of the file system. */
function meanwhile(name: "unlinkSync" | "mkdirSync", change: () => void) {
  const original = fs[name] as (...args: readonly unknown[]) => unknown;
  vi.spyOn(fs, name).mockImplementationOnce((...args: readonly unknown[]) => {
    const result = original(...args);
    change();
    return result;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

test("what another program writes or makes while an undo runs stays", async () => {
  for (const name of ["a", "b", "c"]) await at.call("fs_write", { path: `d/${name}`, content: name, parents: true });
  await at.call("fs_copy", { from: "d", to: "e" });
  meanwhile("unlinkSync", () => writeFileSync(inRoot("e/a"), "by another program"));
  await expect(at.call("undo", { since: 0 })).rejects.toThrow("e/a: it was changed meanwhile");
  expect(readFileSync(inRoot("e/a"), "utf8")).toBe("by another program");
  await at.call("fs_delete", { path: "d", permanent: true });
  meanwhile("mkdirSync", () => writeFileSync(inRoot("d/b"), "by another program"));
  await expect(at.call("undo", { since: 0, skipConflicts: true })).resolves.toBeDefined();
  expect(readFileSync(inRoot("d/b"), "utf8")).toBe("by another program");
});

/** Undo with the tool `step`, which may change and move files, and does what it is told. */
function withStep(effects: readonly FileEffect[], step: () => unknown) {
  const kept = undoOf(at);
  const tool = defineTool({
    name: "step",
    description: "Do what a test says.",
    mutates: true,
    effects: { files: () => effects },
    input: z.object({}),
    output: z.object({}),
    handler: async () => {
      await step();
      return {};
    },
  });
  const pack = definePack({ name: "steps", description: "Steps.", budget: 500, tools: () => [tool] });
  const around = { interceptors: [kept.interceptor], observers: [kept.observer] };
  return createDispatcher(createCatalog({ packs: [pack(), kept.pack] }), around).dispatch({ name: "step", args: {} });
}

test("what another program writes to a file during a call that fails or is dry is not the call's", async () => {
  writeFileSync(inRoot("a.txt"), "one");
  const { ok } = await withStep([{ path: inRoot("a.txt") }], () => {
    writeFileSync(inRoot("a.txt"), "by another program");
    throw new ToolError("conflict", "it fails");
  });
  expect([ok, (await at.call("undo_list", {}))["items"]]).toEqual([false, []]);
  const tools = await filesystem({ roots: [at.root], write: true }).tools();
  const edit = tools.find(({ name }) => name === "fs_edit");
  expect(edit?.effects.files?.({ path: "a.txt", edits: [], dryRun: true })).toEqual([]);
});

test("what a call that fails has done to a folder is kept", async () => {
  await at.call("fs_write", { path: "d/a.txt", content: "a", parents: true });
  const outcome = await withStep([{ path: inRoot("d") }], () => {
    rmSync(inRoot("d/a.txt"));
    throw new ToolError("conflict", "it fails");
  });
  expect(outcome.ok).toBe(false);
  await wait(300);
  const [{ tool, files = [] } = raise()] = await at.entries();
  expect([tool, files.map(({ path, after }) => [path, after])]).toEqual(["step", [[inRoot("d/a.txt"), null]]]);
});

test.each(["f", "d", "missing"])("a link to %s that took the place of a folder is taken back", async (to) => {
  for (const path of ["d/a.txt", "f/a.txt"]) await at.call("fs_write", { path, content: path, parents: true });
  await at.call("fs_mkdir", { path: "d/e" });
  symlinkSync(to, inRoot("l"));
  await at.call("fs_copy", { from: "l", to: "d", overwrite: true });
  await at.call("undo", { call: (await at.entries())[0]?.call ?? "" });
  expect(readdirSync(inRoot("d")).toSorted()).toEqual(["a.txt", "e"]);
  await at.call("fs_delete", { path: "d", permanent: true });
  await at.call("fs_move", { from: "l", to: "d" });
  await at.call("undo", { since: 0 });
  expect(readdirSync(at.root)).toEqual(["l"]);
});

test("a call is stored as ended before the next one changes the same", async () => {
  await at.call("fs_write", { path: "a.txt", content: "one" });
  await at.call("fs_move", { from: "a.txt", to: "b.txt" });
  const stored = await Array.fromAsync(storedEntries(at.store.local()));
  expect(stored.map(({ tool, running }) => [tool, running === undefined])).toEqual([
    ["fs_move", false],
    ["fs_write", true],
  ]);
});

test("an undo of an undo that was killed is taken back with all", async () => {
  await at.call("fs_write", { path: "a.txt", content: "one" });
  await at.call("undo", { since: 0 });
  const [{ id: undoes, ...undo } = raise()] = await at.entries();
  const files = [{ path: inRoot("a.txt"), before: null }];
  await putEntry(at.store.local(), { ...undo, call: "x", undoes, files, running: `${hostname()} 99999999` });
  writeFileSync(inRoot("a.txt"), "one");
  await at.call("undo", { since: 0 });
  expect(existsSync(inRoot("a.txt"))).toBe(false);
});

test("what was deleted is not put back into a folder that another call has moved there", async () => {
  for (const path of ["d/a.txt", "f/b.txt"]) await at.call("fs_write", { path, content: path, parents: true });
  await at.call("fs_delete", { path: "d/a.txt", permanent: true });
  const deleted = (await at.entries())[0]?.call ?? "";
  await at.call("fs_move", { from: "f", to: "d", overwrite: true });
  await expect(at.call("undo", { call: deleted })).rejects.toThrow("d/a.txt: it was changed since; take back fs_move");
  await at.call("undo", { since: 0 });
  expect(readdirSync(at.root)).toEqual([]);
});

test("a new file in place of a moved one, with its number, is not taken for it", async () => {
  await at.call("fs_write", { path: "a.txt", content: "one" });
  await at.call("fs_move", { from: "a.txt", to: "b.txt" });
  const { call, moved, ...entry } = (await at.entries())[0] ?? raise();
  rmSync(inRoot("b.txt"));
  writeFileSync(inRoot("a.txt"), "by a person");
  const leaf = { ...moved?.leaf, inode: readLeaf(inRoot("a.txt"))?.inode };
  await putEntry(at.store.local(), { ...entry, call, moved: { ...moved, leaf } } as KeptEntry);
  await expect(at.call("undo", { call })).rejects.toThrow("b.txt: it was changed since");
});

test("what appears while a call begins, and is moved by it, is not taken back as a new file", async () => {
  const move = { path: inRoot("a.txt"), to: inRoot("b.txt"), follow: false };
  const outcome = await withStep([move], () => writeFileSync(inRoot("b.txt"), "by another program"));
  expect(outcome).toMatchObject({ notice: expect.stringContaining("what it moves was not there when it began") });
  await expect(at.call("undo", { since: 0 })).rejects.toThrow("what it moves was not there");
  expect(readFileSync(inRoot("b.txt"), "utf8")).toBe("by another program");
});

test("a folder that another program has put in place of a moved one is not moved back", async () => {
  await at.call("fs_mkdir", { path: "d" });
  await at.call("fs_move", { from: "d", to: "e" });
  renameSync(inRoot("e"), inRoot("f"));
  mkdirSync(inRoot("e"), { mode: statSync(inRoot("f")).mode & 0o777 });
  await expect(at.call("undo", { since: 0 })).rejects.toThrow("e: it was changed since");
  expect(readdirSync(at.root).toSorted()).toEqual(["e", "f"]);
});

test("folders of which a part is protected come back, with what was in them", async () => {
  await at.call("fs_write", { path: "p/.github/workflows/ci.yml", content: "on: push", parents: true });
  await at.call("fs_delete", { path: "p", permanent: true });
  await at.call("undo", { call: (await at.entries())[0]?.call ?? "" });
  expect(readFileSync(inRoot("p/.github/workflows/ci.yml"), "utf8")).toBe("on: push");
  await at.call("undo", { since: 0 });
  expect(readdirSync(at.root)).toEqual([]);
});

test("an undo that went on after it was stopped is one, which can be taken back", async () => {
  for (const name of ["a", "b", "c"]) await at.call("fs_write", { path: `d/${name}`, content: name, parents: true });
  await at.call("fs_copy", { from: "d", to: "e" });
  const { call } = (await at.entries())[0] ?? raise();
  meanwhile("unlinkSync", () => writeFileSync(inRoot("e/a"), "by another program"));
  await expect(at.call("undo", { call })).rejects.toThrow("e/a: it was changed meanwhile");
  expect(readdirSync(inRoot("e"))).toEqual(["a"]);
  writeFileSync(inRoot("e/a"), "a");
  const { call: undo } = await at.call("undo", { call });
  expect(existsSync(inRoot("e"))).toBe(false);
  await at.call("undo", { call: undo });
  expect(readdirSync(inRoot("e"))).toEqual(["a", "b", "c"]);
  await at.call("undo", { since: 0 });
  expect(readdirSync(at.root)).toEqual([]);
});

test("an undo of an undo that was killed after its move goes on", async () => {
  await at.call("fs_write", { path: "a.txt", content: "one" });
  await at.call("fs_write", { path: "b.txt", content: "two" });
  await at.call("fs_move", { from: "a.txt", to: "b.txt", overwrite: true });
  const { call } = await at.call("undo", { call: (await at.entries())[0]?.call ?? "" });
  const [{ id: undoes, moved, ...undo } = raise()] = await at.entries();
  const { from = "", to = "", leaf } = moved ?? {};
  const files = [{ path: inRoot("b.txt"), before: readLeaf(inRoot("b.txt")) }];
  const running = { call: "x", undoes, files, moved: { from: to, to: from, leaf }, running: `${hostname()} 99999999` };
  await putEntry(at.store.local(), { ...undo, ...running } as Entry);
  renameSync(to, from);
  await at.call("undo", { call });
  expect([readdirSync(at.root), readFileSync(from, "utf8")]).toEqual([["b.txt"], "one"]);
});

test("an undo of a move over a folder that was killed after its move leaves nothing of what it replaced", async () => {
  for (const path of ["a/x", "b/y"]) await at.call("fs_write", { path, content: path, parents: true });
  await at.call("fs_move", { from: "a", to: "b", overwrite: true });
  const { call } = await at.call("undo", { call: (await at.entries())[0]?.call ?? "" });
  const [{ id: undoes, moved, ...undo } = raise()] = await at.entries();
  const { from = "", to = "", leaf } = moved ?? {};
  const files = (undo.files ?? []).map((one) => ({ path: one.path, before: one.after ?? null }));
  const running = { call: "x", undoes, files, moved: { from: to, to: from, leaf }, running: `${hostname()} 99999999` };
  await putEntry(at.store.local(), { ...undo, ...running } as Entry);
  rmSync(from, { recursive: true });
  renameSync(to, from);
  const again = await at.call("undo", { call });
  expect(globSync("**/*", { cwd: at.root }).toSorted()).toEqual(["b", "b/x"]);
  await at.call("undo", { call: again["call"] });
  expect(globSync("**/*", { cwd: at.root }).toSorted()).toEqual(["a", "a/x", "b", "b/y"]);
});

test("an undo of one file that failed after a part of it goes on", async () => {
  await at.call("fs_write", { path: "x", content: "one" });
  symlinkSync("x", inRoot("l"));
  await at.call("fs_write", { path: "f", content: "two" });
  await at.call("fs_copy", { from: "f", to: "l", overwrite: true });
  const { call } = (await at.entries())[0] ?? raise();
  meanwhile("unlinkSync", () => {
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  });
  await expect(at.call("undo", { call })).rejects.toThrow();
  expect(existsSync(inRoot("l"))).toBe(false);
  await at.call("undo", { call });
  expect(readlinkSync(inRoot("l"))).toBe("x");
});

test("a folder that a copy has replaced is known when its move is taken back", async () => {
  for (const path of ["d/x", "n/y"]) await at.call("fs_write", { path, content: path, parents: true });
  await at.call("fs_move", { from: "d", to: "q" });
  await at.call("fs_copy", { from: "n", to: "q", overwrite: true });
  await at.call("undo", { since: 0 });
  expect(readdirSync(at.root)).toEqual([]);
});

test("what a server has just done is known to another one of the process", async () => {
  const other = undoable(() => sqlite(path.join(at.folder, "store.db")), {
    lockFile: path.join(at.folder, "undo.lock"),
    roots: [at.root],
  });
  await at.call("fs_write", { path: "a.txt", content: "one" });
  expect(await other.call("undo_list", {})).toMatchObject({ total: 1 });
  await at.call("fs_move", { from: "a.txt", to: "b.txt" });
  await other.call("fs_move", { from: "b.txt", to: "c.txt" });
  const stored = await Array.fromAsync(storedEntries(at.store.local()));
  expect(stored.map(({ running }) => running === undefined)).toEqual([false, true, true]);
  await other.end();
});

test("no call replaces a link through which another one writes", async () => {
  mkdirSync(inRoot("f"));
  symlinkSync("f", inRoot("l"));
  const order: string[] = [];
  const writing = withStep([{ path: inRoot("l/a.txt") }], async () => {
    await wait(50);
    order.push("written");
  });
  await wait(20);
  await at.call("fs_move", { from: "l", to: "m" });
  expect(order).toEqual(["written"]);
  await writing;
});

test("a call that waits for another one can be cancelled", async () => {
  let release = () => {};
  const hangs = new Promise<void>((resolve) => (release = resolve));
  const running = withStep([{ path: inRoot("a.txt") }], () => hangs);
  await wait(50);
  const signal = AbortSignal.timeout(100);
  await expect(at.call("fs_write", { path: "a.txt", content: "one" }, { signal })).rejects.toThrow("cancelled");
  release();
  await running;
  await at.call("fs_write", { path: "a.txt", content: "two" });
});

function raise(): never {
  throw new Error("no entry");
}
