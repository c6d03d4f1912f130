import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** Ids, operations and odd data. The generated sequences put, patch, close, reopen and delete, with compare-and-set and operations. */
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

  test("a retried operation returns the first result, also with fields in another order, and writes nothing", async () => {
    const store = fresh();
    const first = await store.put(task, { title: "one", body: "b" }, { operationId: "o1" });
    await store.put(task, { title: "changed since" }, { id: first.id });
    const generation = await store.generation();
    expect(await store.put(task, { body: "b", title: "one" }, { operationId: "o1", patch: false })).toEqual(first);
    expect(await store.generation()).toBe(generation);
    const other = store.put(task, { title: "other" }, { operationId: "o1" });
    const message: unknown = expect.stringContaining("operationId");
    await expect(other).rejects.toMatchObject({ code: "conflict", message });
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
}
