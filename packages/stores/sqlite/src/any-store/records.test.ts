import { expect, test } from "vitest";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

test("ids of simultaneous puts are short, sortable and unique", async () => {
  const store = freshStore();
  const made = await Promise.all(Array.from({ length: 200 }, (_, at) => store.put(task, { title: `${at}` })));
  const ids = made.map(({ id }) => id);
  expect(new Set(ids).size).toBe(200);
  expect(ids.every((id) => /^[0-9a-z]{16}$/.test(id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
});

test("a patch that unsets a required field is refused, and changes nothing", async () => {
  const store = freshStore();
  const before = await store.put(task, { title: "one", priority: 1 }, { id: "a" });
  const refused = store.put(task, { title: null, priority: 2 }, { id: "a", patch: true });
  await expect(refused).rejects.toMatchObject({ code: "invalid_input" });
  expect(await store.get(task, "a")).toEqual(before);
});

test("close stores what the kind makes of the note, once", async () => {
  const store = freshStore();
  await store.put(task, { title: "one" }, { id: "a" });
  const closed = await store.close(task, "a", "because");
  expect(closed).toMatchObject({ closed: true, data: { status: "closed", note: "because" } });
  expect(await store.close(task, "a", "again")).toEqual(closed);
});

test("compacts a page only without a limit, if more records match than may be shown", async () => {
  const store = freshStore();
  for (const id of ["a", "b", "c", "d", "e", "f"]) await store.put(task, { title: id }, { id });
  const compaction = { over: 5, show: 2 };
  const cut = await store.query(task, { compaction });
  expect(cut).toMatchObject({ total: 6, compacted: true });
  expect(cut.items.map(({ id }) => id)).toEqual(["a", "b"]);
  const rest = await store.query(task, { compaction, limit: 10, cursor: cut.cursor });
  expect(rest.items.map(({ id }) => id).join("")).toBe("cdef");
  expect((await store.query(task, { compaction, limit: 6 })).items).toHaveLength(6);
  const whole = await store.query(task, { compaction, filter: { not: { id: "a" } } });
  expect(whole.items).toHaveLength(5);
  expect(whole).not.toHaveProperty("compacted");
});

test("the conflict of ifGeneration has the current generation", async () => {
  const store = freshStore();
  const { generation } = await store.put(task, { title: "one" }, { id: "a", ifGeneration: 0 });
  const late = store.put(task, { title: "late" }, { id: "a", ifGeneration: 0 });
  const message: unknown = expect.stringContaining(String(generation));
  await expect(late).rejects.toMatchObject({ code: "conflict", message });
});

test("returns 100 records and a cursor without a limit", async () => {
  const store = freshStore();
  await store.transaction(async (inside) => {
    for (let at = 0; at < 120; at += 1) await inside.put(task, { title: `${at}` });
  });
  const page = await store.query(task);
  expect([page.items.length, page.total]).toEqual([100, 120]);
  expect(page.cursor).toBeDefined();
});

test("the limit may change between pages, and the query may not", async () => {
  const store = freshStore();
  for (let at = 0; at < 10; at += 1) await store.put(task, { title: `${at}` }, { id: `t${at}` });
  const { cursor = "" } = await store.query(task, { limit: 2 });
  expect((await store.query(task, { limit: 5, cursor })).items.map(({ id }) => id)).toEqual([
    "t2",
    "t3",
    "t4",
    "t5",
    "t6",
  ]);
  expect((await store.query(task, { limit: 5, cursor })).total).toBe(10);
  for (const other of [{ sort: ["-id"] }, { filter: { status: "open" } }, { includeClosed: true }]) {
    await expect(store.query(task, { ...other, cursor })).rejects.toMatchObject({ code: "invalid_input" });
  }
});
