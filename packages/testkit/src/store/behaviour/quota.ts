import { expect, test } from "vitest";
import { openPlace, type StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

const maxWorkspaceBytes = 10_000;
const tooLarge = { code: "too_large" };
const title = (bytes: number) => ({ title: "x".repeat(bytes) });

/** The bytes of a workspace, which its maximum is compared with. */
export function quotaTests({ create }: StoreUnderTest): void {
  test("is counted for each workspace", async () => {
    const store = (await openPlace(create))({ maxWorkspaceBytes });
    await store.put(task, title(6_000));
    await expect(store.put(task, title(6_000))).rejects.toMatchObject(tooLarge);
    await store.in("other").put(task, title(6_000));
  });

  test("counts replaced records once, and undone or deleted ones not at all", async () => {
    const store = (await openPlace(create))({ maxWorkspaceBytes });
    for (let at = 0; at < 50; at += 1) await store.put(task, title(1_000 + at), { id: "a" });
    for (let at = 0; at < 50; at += 1) {
      await store
        .transaction(async (inside) => {
          await inside.put(task, title(1_000), { id: "b" });
          throw new Error("undone");
        })
        .catch(() => {});
    }
    for (let at = 0; at < 50; at += 1) {
      await store.put(task, title(1_000), { id: "c" });
      await store.delete(task, "c");
    }
    await store.put(task, title(5_000));
  });

  test("counts the results kept for retried operations", async () => {
    const store = (await openPlace(create))({ maxWorkspaceBytes });
    const write = async () => {
      for (let at = 0; at < 20; at += 1) await store.put(task, title(900), { id: "a", operationId: `o${at}` });
    };
    await expect(write()).rejects.toMatchObject(tooLarge);
  });
}
