import { expect, test } from "vitest";
import { openPlace, type StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** Several stores on the same data. Each sees the other's writes at once. */
export function sharingTests({ create }: StoreUnderTest): void {
  test("each reads the other's writes, and the writes of both are kept", async () => {
    const open = await openPlace(create);
    const [one, two] = [open(), open()];
    const write = (store: typeof one, name: string) =>
      Array.from({ length: 25 }, (_, at) => store.put(task, { title: name }, { id: `${name}${at}` }));
    await Promise.all([...write(one, "one"), ...write(two, "two")]);
    expect((await one.query(task)).total).toBe(50);
    expect((await two.query(task)).total).toBe(50);
    await one.close(task, "two1");
    expect((await two.get(task, "two1"))?.closed).toBe(true);
    const { items } = await one.query(task, { sort: ["generation"], includeClosed: true });
    expect(new Set(items.map(({ generation }) => generation)).size).toBe(50);
    await Promise.all([one.end(), two.end()]);
    await Promise.all([one.end(), two.end()]);
    const later = open();
    expect((await later.query(task)).total).toBe(49);
  });

  test("several stores opened at once on empty data create the tables once", async () => {
    const open = await openPlace(create);
    const stores = Array.from({ length: 6 }, () => open());
    await Promise.all(stores.map((store, at) => store.put(task, { title: `${at}` })));
    expect((await stores[0]?.query(task))?.total).toBe(6);
  });

  test("a watcher is called after another store's write", async () => {
    const open = await openPlace(create);
    const [one, two] = [open(), open()];
    await one.put(task, { title: "before" });
    const seen: number[] = [];
    const stop = await one.watch((generation) => seen.push(generation));
    const { generation } = await two.put(task, { title: "a" });
    await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBe(generation);
    await stop();
  });

  test("a newer declaration of a kind finds the records of the older one", async () => {
    const open = await openPlace(create);
    const older = { ...task, indexes: ["status"], text: ["title"] };
    const one = open();
    await one.put(older, { title: "x", body: "hidden", labels: ["l"], due: "2027" }, { id: "a" });
    const two = open();
    expect((await two.query(task, { filter: { due: { gte: "2026" } } })).total).toBe(1);
    expect((await two.query(task, { filter: { labels: { contains: "l" } } })).total).toBe(1);
    expect((await two.query(task, { text: "hidden" })).total).toBe(1);
    await one.put(older, { title: "y", labels: ["m"] }, { id: "b" });
    expect((await two.query(task, { filter: { labels: { contains: "m" } } })).total).toBe(1);
  });
}
