import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** Generations, change feeds, watching. */
export function changeTests({ fresh }: StoreUnderTest): void {
  test("each write takes one generation, and reading takes none", async () => {
    const store = fresh();
    const start = await store.generation();
    await store.put(task, { title: "a" }, { id: "a" });
    await store.close(task, "a");
    await store.reopen(task, "a");
    await store.query(task);
    await store.get(task, "a");
    expect(await store.generation()).toBe(start + 3);
    await store.delete(task, "a");
    expect(await store.generation()).toBe(start + 4);
  });

  test("a feed gives what was written after a generation, in that order, closed records too", async () => {
    const store = fresh();
    for (const id of ["a", "b", "c"]) await store.put(task, { title: id }, { id });
    const { generation: sinceGeneration } = await store.query(task);
    await store.put(task, { title: "new" }, { id: "d" });
    await store.close(task, "b");
    await store.put(task, { title: "again" }, { id: "a" });
    const feed = await store.query(task, { sinceGeneration });
    expect(feed.items.map(({ id, closed }) => [id, closed])).toEqual([
      ["d", false],
      ["b", true],
      ["a", false],
    ]);
    expect((await store.query(task, { sinceGeneration: feed.generation })).items).toEqual([]);
    expect((await store.query(task, { sinceGeneration, includeClosed: false })).total).toBe(2);
  });

  test("whoever follows the feed page by page while others write ends with what is there", async () => {
    const store = fresh();
    const copy = new Map<string, string>();
    let since = 0;
    const follow = async () => {
      let cursor: string | undefined;
      let next: number | undefined;
      do {
        const page = await store.query(task, {
          sinceGeneration: since,
          limit: 3,
          ...(cursor !== undefined && { cursor }),
        });
        next ??= page.generation;
        for (const { id, data } of page.items) copy.set(id, data.title);
        cursor = page.cursor;
      } while (cursor !== undefined);
      since = next;
    };
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        follow(),
        ...Array.from({ length: 10 }, (_, at) =>
          store.put(task, { title: `${round}.${at}` }, { id: `t${(round * 3 + at) % 17}` }),
        ),
      ]);
    }
    await follow();
    const { items } = await store.query(task);
    expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(items.map(({ id, data }) => [id, data.title])));
  });

  test("a watcher is told of a write, and of none after it stopped", async () => {
    const store = fresh();
    await store.put(task, { title: "before" });
    const seen: number[] = [];
    const stop = await store.watch((generation) => seen.push(generation));
    const { generation } = await store.put(task, { title: "a" });
    await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBeGreaterThanOrEqual(generation);
    await stop();
    const told = seen.length;
    await store.put(task, { title: "b" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen).toHaveLength(told);
  });

  test("a listener that throws harms neither the write nor another listener", async () => {
    const store = fresh();
    const heard: number[] = [];
    const stops = [
      await store.watch(() => {
        throw new Error("a listener's own");
      }),
      await store.watch((generation) => heard.push(generation)),
    ];
    const { generation } = await store.put(task, { title: "a" });
    await expect.poll(() => heard.at(-1) ?? 0).toBeGreaterThanOrEqual(generation);
    for (const stop of stops) await stop();
  });
}
