import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** put, get, patch, compare-and-set, operations, close, reopen, delete. */
export function writeTests({ fresh }: StoreUnderTest): void {
  test("put stores a record with the schema's defaults under a new id", async () => {
    const store = fresh();
    const first = await store.put(task, { title: "one" });
    const second = await store.put(task, { title: "two" });
    expect(first).toMatchObject({ data: { title: "one", status: "open" }, closed: false, workspace: store.workspace });
    expect(await store.get(task, first.id)).toEqual(first);
    expect(second.id > first.id).toBe(true);
    expect(second.generation).toBe(first.generation + 1);
    expect(await store.get(task, "unknown")).toBeUndefined();
  });

  test("ids of simultaneous puts are short, sortable and unique", async () => {
    const store = fresh();
    const made = await Promise.all(Array.from({ length: 200 }, (_, at) => store.put(task, { title: `${at}` })));
    const ids = made.map(({ id }) => id);
    expect(new Set(ids).size).toBe(200);
    expect(ids.every((id) => /^[0-9a-z]{16}$/.test(id))).toBe(true);
    expect([...ids].sort()).toEqual(ids);
  });

  test("put with an id replaces the whole record, and keeps its age", async () => {
    const store = fresh();
    await store.put(task, { title: "one", priority: 1 }, { id: "a" });
    await store.put(task, { title: "two" }, { id: "b" });
    await store.put(task, { title: "three" }, { id: "a" });
    expect((await store.get(task, "a"))?.data).toEqual({ title: "three", status: "open" });
    expect((await store.query(task)).items.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("a patch changes its fields, unsets its null fields, and keeps all others", async () => {
    const store = fresh();
    await store.put(task, { title: "one", priority: 1, owner: { name: "ann", team: "x" }, labels: ["a"] }, { id: "a" });
    const patched = await store.put(
      task,
      { priority: null, owner: { name: "bob" }, status: "busy" },
      { id: "a", patch: true },
    );
    expect(patched.data).toEqual({ title: "one", owner: { name: "bob" }, labels: ["a"], status: "busy" });
    expect(await store.get(task, "a")).toEqual(patched);
    await expect(store.put(task, { status: "x" }, { id: "none", patch: true })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(store.put(task, { title: null }, { id: "a", patch: true })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(await store.get(task, "a")).toEqual(patched);
  });

  test("ifGeneration writes only if the record is unchanged, and otherwise the error has the current generation", async () => {
    const store = fresh();
    const first = await store.put(task, { title: "one" }, { id: "a", ifGeneration: 0 });
    const second = await store.put(task, { title: "two" }, { id: "a", ifGeneration: first.generation });
    const late = store.put(task, { title: "late" }, { id: "a", ifGeneration: first.generation });
    await expect(late).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(String(second.generation)),
    });
    await expect(store.put(task, { title: "new" }, { id: "a", ifGeneration: 0 })).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(store.put(task, { title: "new" }, { id: "none", ifGeneration: 5 })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await store.get(task, "a"))?.data.title).toBe("two");
  });

  test("one of many simultaneous compare-and-set writes succeeds", async () => {
    const store = fresh();
    const { generation } = await store.put(task, { title: "free" }, { id: "a" });
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        store.put(task, { title: `taken by ${at}` }, { id: "a", ifGeneration: generation }),
      ),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("a retried operation returns the first result, and writes nothing", async () => {
    const store = fresh();
    const first = await store.put(task, { title: "one" }, { operationId: "o1" });
    await store.put(task, { title: "changed since" }, { id: first.id });
    const generation = await store.generation();
    expect(await store.put(task, { title: "one" }, { operationId: "o1" })).toEqual(first);
    expect(await store.generation()).toBe(generation);
    expect((await store.query(task)).total).toBe(1);
    await expect(store.put(task, { title: "other" }, { operationId: "o1" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("operationId"),
    });
  });

  test("a failed put is not stored as an operation", async () => {
    const store = fresh();
    await expect(store.put(task, { title: "x" }, { id: "a", ifGeneration: 3, operationId: "o" })).rejects.toThrow();
    await store.put(task, { title: "x" }, { id: "a" });
    expect((await store.put(task, { title: "y" }, { id: "b", operationId: "o" })).data.title).toBe("y");
  });

  test("close keeps the record and is idempotent, and reopen undoes it", async () => {
    const store = fresh();
    await store.put(task, { title: "one" }, { id: "a" });
    const closed = await store.close(task, "a", "because");
    expect(closed).toMatchObject({ closed: true, data: { status: "closed", note: "because" } });
    expect(await store.close(task, "a", "again")).toEqual(closed);
    expect((await store.query(task)).total).toBe(0);
    expect((await store.query(task, { includeClosed: true })).items).toEqual([closed]);
    const replaced = await store.put(task, { title: "two" }, { id: "a" });
    expect(replaced.closed).toBe(true);
    const open = await store.reopen(task, "a");
    expect(open).toMatchObject({ closed: false, data: { title: "two" } });
    expect(await store.reopen(task, "a")).toEqual(open);
    for (const change of [store.close(task, "none"), store.reopen(task, "none")]) {
      await expect(change).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("a deleted record is found by no query, and its id can be used again", async () => {
    const store = fresh();
    await store.put(task, { title: "gone", labels: ["x"] }, { id: "a" });
    expect(await store.delete(task, "a")).toBe(true);
    expect(await store.delete(task, "a")).toBe(false);
    expect(await store.get(task, "a")).toBeUndefined();
    expect((await store.query(task, { text: "gone" })).total).toBe(0);
    expect((await store.query(task, { filter: { labels: { contains: "x" } } })).total).toBe(0);
    await store.put(task, { title: "back" }, { id: "a", ifGeneration: 0 });
    expect((await store.query(task, { text: "back" })).total).toBe(1);
  });

  test.each([
    ["emoji and right-to-left text", "👩‍👩‍👧 שלום عالم"],
    ["SQL", `'; DROP TABLE x; -- "`],
    ["escape sequences", "\\u0000 \\ud800 \\\\u0000"],
    ["line separators", "a\u2028b\r\n\tc"],
    ["a megabyte", "lorem ipsum ".repeat(90_000)],
  ])("keeps %s unchanged", async (_, title) => {
    const store = fresh();
    const extra = {
      nested: [title.slice(0, 100), { [title.slice(0, 50)]: null }],
      number: 1e21,
      zero: 0,
      tiny: 5e-324,
    };
    const { id } = await store.put(task, { title, extra });
    expect((await store.get(task, id))?.data).toEqual({ title, extra, status: "open" });
  });

  test("keeps a field named __proto__ as data", async () => {
    const store = fresh();
    const extra = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as unknown;
    const { id } = await store.put(task, { title: "x", extra });
    expect(JSON.stringify((await store.get(task, id))?.data.extra)).toContain('"__proto__":{"polluted":true}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("a nullable field stays null through patches and closing", async () => {
    const store = fresh();
    await store.put(task, { title: "a", due: null, extra: { deep: null } }, { id: "n" });
    await store.put(task, { body: "b" }, { id: "n", patch: true });
    await store.close(task, "n");
    expect((await store.reopen(task, "n")).data).toEqual({
      title: "a",
      due: null,
      extra: { deep: null },
      body: "b",
      status: "closed",
    });
    const { data } = await store.put(task, { due: null, body: null }, { id: "n", patch: true });
    expect(data).toEqual({ title: "a", extra: { deep: null }, status: "closed" });
  });

  test("a retried operation is recognized with fields in another order", async () => {
    const store = fresh();
    const first = await store.put(task, { title: "a", body: "b" }, { operationId: "o" });
    expect(await store.put(task, { body: "b", title: "a" }, { operationId: "o", patch: false })).toEqual(first);
  });
}
