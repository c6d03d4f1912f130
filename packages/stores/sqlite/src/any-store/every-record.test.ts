import type { Store } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import { expect, test } from "vitest";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

test("everyRecord returns each record of a query once, in order, over all pages", async () => {
  const store = freshStore();
  await store.transaction(async (inside) => {
    for (let at = 0; at < 1_500; at += 1) {
      await inside.put(task, { title: `${at}`, priority: 1_500 - at }, { id: `t${at}` });
      if (at % 3 === 0) await inside.close(task, `t${at}`);
    }
  });
  const seen: number[] = [];
  for await (const { data } of everyRecord(store, task, { sort: ["priority"], includeClosed: true })) {
    if (seen.length === 10) await store.put(task, { title: "first by priority", priority: 0 });
    seen.push(Number(data.priority));
  }
  expect(seen).toEqual(Array.from({ length: 1_500 }, (_, at) => at + 1));
  expect(await Array.fromAsync(everyRecord(store, task))).toHaveLength(1_001);
  expect(await Array.fromAsync(everyRecord(store, task, { filter: { priority: 2_000 } }))).toEqual([]);
});

test("everyRecord reads no further page after an early stop", async () => {
  const store = freshStore();
  await store.transaction(async (inside) => {
    for (let at = 0; at < 1_100; at += 1) await inside.put(task, { title: `${at}` });
  });
  let pages = 0;
  const query: Store["query"] = (...args) => {
    pages += 1;
    return store.query(...args);
  };
  for await (const _record of everyRecord({ query }, task)) break;
  expect(pages).toBe(1);
  await Array.fromAsync(everyRecord({ query }, task));
  expect(pages).toBe(3);
});

test("everyRecord reads at most pageSize records at a time", async () => {
  const store = freshStore();
  await store.transaction(async (inside) => {
    for (let at = 0; at < 25; at += 1) await inside.put(task, { title: `${at}` }, { id: `t${at}` });
  });
  const pages: number[] = [];
  const query: Store["query"] = async (...args) => {
    const page = await store.query(...args);
    pages.push(page.items.length);
    return page;
  };
  const found = await Array.fromAsync(everyRecord({ query }, task, { pageSize: 10 }));
  expect(pages).toEqual([10, 10, 5]);
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, at) => `t${at}`));
  await expect(everyRecord(store, task, { pageSize: 0 }).next()).rejects.toThrow(RangeError);
});
