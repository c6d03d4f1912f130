import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** Several stores on the same data. Each sees the other's writes at once. */
export function sharingTests({ create }: StoreUnderTest): void {
  test("each reads the other's writes, and the writes of both are kept", async () => {
    const place = await create();
    const [one, two] = [place.open(), place.open()];
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
    const later = place.open();
    expect((await later.query(task)).total).toBe(49);
    await later.end();
    await place.remove();
  });

  test("several stores opened at once on empty data create the tables once", async () => {
    const place = await create();
    const stores = Array.from({ length: 6 }, () => place.open());
    await Promise.all(stores.map((store, at) => store.put(task, { title: `${at}` })));
    expect((await stores[0]?.query(task))?.total).toBe(6);
    await Promise.all(stores.map((store) => store.end()));
    await place.remove();
  });

  test("a watcher is called after another store's write", async () => {
    const place = await create();
    const [one, two] = [place.open(), place.open()];
    await one.put(task, { title: "before" });
    const seen: number[] = [];
    const stop = await one.watch((generation) => seen.push(generation));
    const { generation } = await two.put(task, { title: "a" });
    await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBe(generation);
    await stop();
    await Promise.all([one.end(), two.end()]);
    await place.remove();
  });

  test("a newer declaration of a kind finds the records of the older one", async () => {
    const place = await create();
    const older = { ...task, indexes: ["status"], text: ["title"] };
    const one = place.open();
    await one.put(older, { title: "x", body: "hidden", labels: ["l"], due: "2027" }, { id: "a" });
    const two = place.open();
    expect((await two.query(task, { filter: { due: { gte: "2026" } } })).total).toBe(1);
    expect((await two.query(task, { filter: { labels: { contains: "l" } } })).total).toBe(1);
    expect((await two.query(task, { text: "hidden" })).total).toBe(1);
    await one.put(older, { title: "y", labels: ["m"] }, { id: "b" });
    expect((await two.query(task, { filter: { labels: { contains: "m" } } })).total).toBe(1);
    await Promise.all([one.end(), two.end()]);
    await place.remove();
  });
}
