import type { OwnedStore } from "@toolpacks/core";
import { expect, test } from "vitest";
import { openPlace, type StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

const maxWorkspaceBytes = 10_000;
const tooLarge = { code: "too_large" };
const title = (bytes: number) => ({ title: "x".repeat(bytes) });

/** The maximum bytes of a workspace. */
export function quotaTests({ create }: StoreUnderTest): void {
  /** Writes records of 1,000 bytes until one is refused. */
  async function fill(store: OwnedStore): Promise<number> {
    for (let at = 0; at < 100; at += 1) {
      const refused = await store.put(task, title(900), { id: `t${at}` }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refused === undefined) continue;
      expect(refused).toMatchObject({
        ...tooLarge,
        message: expect.stringMatching(
          /^the workspace "default" holds \d+ bytes, and may hold 10000 \(maxWorkspaceBytes\)/,
        ),
        hint: "Delete records that are not needed, or set a larger maxWorkspaceBytes.",
      });
      return at;
    }
    throw new Error("no write was refused");
  }

  test("refuses a write over it with workspace, size and setting, and keeps nothing of the write", async () => {
    const store = (await openPlace(create))({ maxWorkspaceBytes });
    const count = await fill(store);
    expect(count).toBeGreaterThan(7);
    expect(count).toBeLessThan(12);
    expect((await store.query(task)).total).toBe(count);
    await expect(
      store.transaction(async (inside) => {
        await inside.put(task, title(10), { id: "small" });
        await inside.put(task, title(5_000));
      }),
    ).rejects.toMatchObject(tooLarge);
    expect(await store.get(task, "small")).toBeUndefined();
  });

  test("is counted for each workspace", async () => {
    const store = (await openPlace(create))({ maxWorkspaceBytes });
    await fill(store);
    await store.in("other").put(task, title(900));
  });

  test("allows reading, closing, shrinking and deleting records of a full workspace, and then writing", async () => {
    const store = (await openPlace(create))({ maxWorkspaceBytes });
    await fill(store);
    await store.close(task, "t0", "a note that makes it larger");
    await store.reopen(task, "t0");
    await store.put(task, title(100), { id: "t0" });
    await store.put(task, title(800), { id: "new" });
    await expect(store.put(task, title(2_000), { id: "t1" })).rejects.toMatchObject(tooLarge);
    for (const id of ["t1", "t2"]) expect(await store.delete(task, id)).toBe(true);
    await store.put(task, title(1_500));
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

  test("may differ between stores of the same data; false is no limit, and records over it can be deleted", async () => {
    const open = await openPlace(create);
    const unlimited = open({ maxWorkspaceBytes: false });
    for (let at = 0; at < 30; at += 1) await unlimited.put(task, title(900), { id: `t${at}` });
    const limited = open({ maxWorkspaceBytes });
    await expect(limited.put(task, title(1))).rejects.toMatchObject(tooLarge);
    for (let at = 0; at < 25; at += 1) await limited.delete(task, `t${at}`);
    await limited.put(task, title(1));
    expect(() => open({ maxWorkspaceBytes: -1 })).toThrow(
      "maxWorkspaceBytes: expected a whole number of bytes or false",
    );
  });
}
