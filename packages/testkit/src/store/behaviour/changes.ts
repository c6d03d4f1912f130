import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** Generations, change feeds, watching. */
export function changeTests({ fresh }: StoreUnderTest): void {
  test("each write adds one generation, and reads add none", async () => {
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

  test("a copy kept by sinceGeneration, page by page during writes, ends equal to the store", async () => {
    const store = fresh();
    const copy = new Map<string, string>();
    let since = 0;
    const follow = async () => {
      let cursor: string | undefined;
      let next: number | undefined;
      do {
        const page = await store.query(task, { sinceGeneration: since, limit: 3, cursor });
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

  test("a watcher is called after a write, and not after it stopped", async () => {
    const store = fresh();
    await store.put(task, { title: "before" });
    const seen: number[] = [];
    const stop = await store.watch((generation) => seen.push(generation));
    const { generation } = await store.put(task, { title: "a" });
    await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBeGreaterThanOrEqual(generation);
    await stop();
    const count = seen.length;
    await store.put(task, { title: "b" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen).toHaveLength(count);
  });

  test("a listener that throws affects neither the write nor other listeners", async () => {
    const store = fresh();
    const seen: number[] = [];
    const stops = [
      await store.watch(() => {
        throw new Error("error of a listener");
      }),
      await store.watch((generation) => seen.push(generation)),
    ];
    const { generation } = await store.put(task, { title: "a" });
    await expect.poll(() => seen.at(-1) ?? 0).toBeGreaterThanOrEqual(generation);
    for (const stop of stops) await stop();
  });
}
