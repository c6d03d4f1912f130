import { expect, test } from "vitest";
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

test.each(["d", "d/", "d/a.txt"])("the calls of the path %s are listed", async (name) => {
  const at = undoable();
  for (const file of ["d/a.txt", "d.txt"]) await at.call("fs_write", { path: file, content: "one", parents: true });
  const { items } = await at.call("undo_list", { path: name });
  expect(items).toMatchObject([{ changes: ["created d", "created d/a.txt"] }]);
  await at.end();
});
