import { expect, test } from "vitest";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

test("the store of an ended transaction is refused", async () => {
  const store = freshStore();
  const kept = await store.transaction(async (inside) => ({ inside }));
  await expect(kept.inside.put(task, { title: "late" })).rejects.toThrow(/transaction has ended/);
  await expect(kept.inside.query(task)).rejects.toThrow(/transaction has ended/);
});

test("a write that would wait for its own transaction is refused", async () => {
  const store = freshStore();
  const nested = store.transaction((inside) => inside.transaction(async () => inside.put(task, { title: "a" })));
  await expect(nested).rejects.toThrow("use the store that the transaction gave");
  await expect(store.transaction(() => store.put(task, { title: "b" }))).rejects.toThrow("use the store");
  await store.transaction(async (inside) => {
    await Promise.all([
      inside.transaction((inner) => inner.put(task, { title: "c" }, { id: "c" })),
      inside.put(task, { title: "d" }, { id: "d" }),
    ]);
  });
  expect((await store.query(task)).items.map(({ id }) => id).toSorted()).toEqual(["c", "d"]);
});
