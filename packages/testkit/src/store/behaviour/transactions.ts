import { ToolError } from "@toolpacks/core";
import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** All or nothing, one writer at a time. */
export function transactionTests({ fresh }: StoreUnderTest): void {
  test("a transaction that rejects writes nothing, not even a generation, and rejects with the same error", async () => {
    const store = fresh();
    const generation = await store.generation();
    const failing = store.transaction(async (inside) => {
      await inside.put(task, { title: "b" }, { id: "b" });
      await pause();
      throw new ToolError("conflict", "no");
    });
    await expect(failing).rejects.toMatchObject({ code: "conflict", message: "no" });
    expect((await store.query(task, { text: "b", includeClosed: true })).total).toBe(0);
    expect(await store.generation()).toBe(generation);
  });

  test("no other write happens between two awaits of a transaction", async () => {
    const store = fresh();
    await store.put(task, { title: "0", priority: 0 }, { id: "n" });
    const add = () =>
      store.transaction(async (inside) => {
        const before = (await inside.get(task, "n"))?.data.priority ?? 0;
        await pause();
        await inside.put(task, { priority: before + 1 }, { id: "n", patch: true });
      });
    await Promise.all(Array.from({ length: 20 }, add));
    expect((await store.get(task, "n"))?.data.priority).toBe(20);
  });

  test("simultaneous writes inside a transaction are all done, one after the other", async () => {
    const store = fresh();
    await store.transaction(async (inside) => {
      const all = [1, 2, 3, 4, 5, 6].map((at) =>
        at % 2 === 0
          ? inside.transaction(async (nested) => {
              await nested.put(task, { title: `${at}` }, { id: `t${at}` });
              if (at === 4) throw new Error("undone");
            })
          : inside.put(task, { title: `${at}` }, { id: `t${at}` }),
      );
      await Promise.allSettled(all);
    });
    const { items } = await store.query(task, { sort: ["id"] });
    expect(items.map(({ id }) => id)).toEqual(["t1", "t2", "t3", "t5", "t6"]);
  });

  test("other reads continue during a transaction, see none of it, and other writes follow it", async () => {
    const store = fresh();
    let finish = () => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const long = store.transaction(async (inside) => {
      await inside.put(task, { title: "long" }, { id: "long" });
      await gate;
    });
    const waiting = store.put(task, { title: "short" }, { id: "short" });
    expect((await store.query(task)).total).toBe(0);
    finish();
    await Promise.all([long, waiting]);
    expect((await store.query(task)).items.map(({ id }) => id)).toEqual(["long", "short"]);
  });

  test("a query inside a transaction returns its latest generation", async () => {
    const store = fresh();
    await store.transaction(async (inside) => {
      const { generation } = await inside.put(task, { title: "a" });
      expect(await inside.generation()).toBe(generation);
      expect((await inside.query(task)).generation).toBe(generation);
    });
  });
}
