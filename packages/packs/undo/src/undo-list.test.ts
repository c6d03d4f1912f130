import { hostname } from "node:os";
import { expect, test } from "vitest";
import { putEntry } from "./entry.ts";
import { undoable } from "./undo.fixture.ts";

test("the oldest units are dropped beyond the limits, and the list says so", async () => {
  const few = undoable(undefined, { maxBytes: 2_000 });
  for (let count = 0; count < 12; count += 1) await few.call("fs_write", { path: `${count}.txt`, content: "text" });
  await few.prune();
  const { items, hint } = await few.call("undo_list", {});
  expect((items as object[]).length).toBeLessThan(12);
  expect(hint).toMatch(/\d+ older changes, until .* were dropped/);
  await few.end();
});

test.each([{ path: "d" }, { path: "d/" }, { path: "d/a.txt" }, { path: "d", tool: "fs_write" }])(
  "the calls that match %o are listed",
  async (selection) => {
    const at = undoable();
    for (const file of ["d/a.txt", "d.txt"]) await at.call("fs_write", { path: file, content: "one", parents: true });
    await at.call("fs_mkdir", { path: "d/e" });
    const { items } = await at.call("undo_list", { tool: "write", ...selection });
    expect(items).toMatchObject([{ changes: ["created d", "created d/a.txt"] }]);
    await at.end();
  },
);

test("the calls in the root are counted, whether shown or not", async () => {
  const at = undoable();
  for (const path of ["a.txt", "b.txt", "c.txt"]) await at.call("fs_write", { path, content: "one" });
  expect(await at.call("undo_list", { path: ".", limit: 1 })).toMatchObject({ items: [{}], total: 3 });
  expect(await at.text("undo_list", { path: "./c.txt" })).toContain("created c.txt");
  await at.end();
});

test("a call of another process, whose end is not written yet, is waited for", async () => {
  const at = undoable();
  const facts = { call: "x-1", unit: "x-1", tool: "fs_write", principal: "", place: "default" };
  const running = { ...facts, at: new Date().toISOString(), running: `${hostname()} ${process.ppid}` };
  const begun = await putEntry(at.store.local(), running);
  const listed = at.call("undo_list", {});
  await putEntry(at.store.local(), { ...begun, running: undefined });
  expect(await listed).toMatchObject({ items: [{ call: "x-1" }] });
  await at.end();
});
