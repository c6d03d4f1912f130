import { defineKind, type Filter, type Query, type Store } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import { expect, test } from "vitest";
import { z } from "zod";
import type { StoreUnderTest } from "../store-place.ts";
import { task, type Task } from "../task-kind.ts";

const records: Readonly<Record<string, Task>> = {
  a: { title: "a", status: "open", priority: 1, done: false, labels: ["x", "y"], due: "2026-01-01" },
  b: { title: "b", status: "open", priority: 2.5, done: true, labels: ["y"], scores: [1, 2], due: null },
  c: { title: "c", status: "busy", priority: -3, labels: [], owner: { name: "ann" } },
  d: { title: "d", status: "Ä", priority: 10, owner: { name: "bob" }, due: "2027-06-01", select: "s" },
  e: { title: "e", status: "😀", done: false, scores: [2], owner: {}, 'it\'s "odd"': "q" },
  f: { title: "f", status: "", priority: 0, extra: { any: ["thing"] } },
};

async function filled(store: Store): Promise<Store> {
  for (const [id, record] of Object.entries(records)) await store.put(task, record, { id });
  return store;
}

/** Filters, sorts, fields, limits. The generated sequences combine all operators and sorts. */
export function queryTests({ fresh }: StoreUnderTest): void {
  const filters: readonly (readonly [Filter, string])[] = [
    [{}, "abcdef"],
    [{ status: "" }, "f"],
    [{ done: null }, "cdf"],
    [{ due: { exists: false } }, "bcef"],
    [{ priority: { gte: 1, lt: 10 } }, "ab"],
    [{ status: { gt: "open" } }, "de"],
    [{ priority: { in: [1, -3] } }, "ac"],
    [{ status: { in: [] } }, ""],
    [{ status: { in: ["open"], gt: "a" } }, "ab"],
    [{ labels: { exists: false } }, "cdef"],
    [{ scores: { contains: 2 } }, "be"],
    [{ "owner.name": null }, "abef"],
    [{ 'it\'s "odd"': "q" }, "e"],
    [{ select: "s" }, "d"],
    [{ id: { gt: "d" } }, "ef"],
    [{ not: { priority: { gt: 0 } } }, "cef"],
    [{ or: [] }, ""],
    [{ and: [] }, "abcdef"],
    [{ status: "open", or: [{ priority: { gt: 2 } }, { labels: { contains: "x" } }] }, "ab"],
    [{ not: { or: [{ done: false }, { priority: { lt: 5 } }] } }, "d"],
  ];
  const sorts: readonly (readonly [readonly string[], string])[] = [
    [["status"], "fcabde"],
    [["-priority"], "dbafce"],
    [["-done", "priority"], "beacfd"],
    [["owner.name", "id"], "abefcd"],
  ];
  test("a filter finds, and a sort orders, with absent fields below every value", async () => {
    const store = await filled(fresh());
    const ids = async (query: Query) => (await store.query(task, query)).items.map(({ id }) => id).join("");
    for (const [filter, expected] of filters) expect([filter, await ids({ filter })]).toEqual([filter, expected]);
    for (const [sort, expected] of sorts) expect([sort, await ids({ sort })]).toEqual([sort, expected]);
  });

  test("returns the requested fields, and only the total with a limit of 0", async () => {
    const store = await filled(fresh());
    const { items } = await store.query(task, { filter: { id: "a" }, fields: ["status", "due", "nowhere"] });
    expect(items[0]?.data).toEqual({ status: "open", due: "2026-01-01" });
    const counted = await store.query(task, { limit: 0, filter: { status: "open" } });
    expect(counted).toMatchObject({ items: [], total: 2 });
    expect(counted).not.toHaveProperty("cursor");
  });

  test("numbers of any size are found and sorted as JavaScript compares them", async () => {
    const store = fresh();
    const numbers = [1e16, 6_503_152_842_754_744_000, 2 ** 53, -(2 ** 60), 0.1, 1e300, -1e300, 5e-324, 0];
    for (const [at, priority] of numbers.entries()) await store.put(task, { title: "n", priority }, { id: `n${at}` });
    for (const [at, priority] of numbers.entries()) {
      const { items } = await store.query(task, { filter: { priority } });
      expect(items.map(({ id }) => id)).toEqual([`n${at}`]);
    }
    const sorted = everyRecord(store, task, { sort: ["priority"], pageSize: 2 });
    const found = await Array.fromAsync(sorted, ({ data }) => data.priority);
    expect(found).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test("a field with another type from an older schema counts as absent", async () => {
    const kindOf = <Level extends z.ZodType>(level: Level) =>
      defineKind({ name: "contract_typed", schema: z.object({ level }), indexes: ["level"] });
    const [older, newer] = [kindOf(z.string()), kindOf(z.number().optional())];
    const store = fresh();
    await store.put(older, { level: "high" }, { id: "old" });
    await store.put(newer, { level: 7 }, { id: "new" });
    const ids = async (query: Query) => (await store.query(newer, { ...query, fields: [] })).items.map(({ id }) => id);
    expect(await ids({ filter: { level: { gt: 5 } } })).toEqual(["new"]);
    expect(await ids({ filter: { level: { exists: false } } })).toEqual(["old"]);
    expect(await ids({ sort: ["-level"] })).toEqual(["new", "old"]);
  });

  test("kinds may have names with a common prefix, and names of the store's own tables", async () => {
    const store = fresh();
    const names = "app app_config app_data app__text operation kind text by_age sqlite_x pg_x";
    for (const name of names.split(" ")) {
      const kind = defineKind({ name, schema: z.object({ title: z.string() }), indexes: ["title"], text: ["title"] });
      await store.put(kind, { title: name }, { id: name });
      expect((await store.query(kind, { filter: { title: name }, text: name })).total).toBe(1);
    }
  });
}
