import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { expect, test } from "vitest";
import { sqlite } from "../index.ts";
import { scratchFolder } from "../scratch-folder.fixture.ts";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

const maxWorkspaceBytes = 10_000;
const tooLarge = { code: "too_large" };
const title = (bytes: number) => ({ title: "x".repeat(bytes) });

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

test("a quota refuses a write over it with workspace, size and setting, and keeps nothing of the write", async () => {
  const store = freshStore({ maxWorkspaceBytes });
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

test("a quota allows reading, closing, shrinking and deleting records of a full workspace, and then writing", async () => {
  const store = freshStore({ maxWorkspaceBytes });
  await fill(store);
  await store.close(task, "t0", "a note that makes it larger");
  await store.reopen(task, "t0");
  await store.put(task, title(100), { id: "t0" });
  await store.put(task, title(800), { id: "new" });
  await expect(store.put(task, title(2_000), { id: "t1" })).rejects.toMatchObject(tooLarge);
  for (const id of ["t1", "t2"]) expect(await store.delete(task, id)).toBe(true);
  await store.put(task, title(1_500));
});

test("a quota may differ between stores of the same data; false is no limit, and records over it can be deleted", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const unlimited = sqlite(file, { maxWorkspaceBytes: false });
  for (let at = 0; at < 30; at += 1) await unlimited.put(task, title(900), { id: `t${at}` });
  const limited = sqlite(file, { maxWorkspaceBytes });
  await expect(limited.put(task, title(1))).rejects.toMatchObject(tooLarge);
  for (let at = 0; at < 25; at += 1) await limited.delete(task, `t${at}`);
  await limited.put(task, title(1));
  await Promise.all([unlimited.end(), limited.end()]);
  expect(() => sqlite(file, { maxWorkspaceBytes: -1 })).toThrow(
    "maxWorkspaceBytes: expected a whole number of bytes or false",
  );
});
