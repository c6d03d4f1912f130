import path from "node:path";
import { expect, test } from "vitest";
import { sqlite } from "../index.ts";
import { scratchFolder } from "../scratch-folder.fixture.ts";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

test("end waits for the functions of beforeEnd, which may write", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const store = sqlite(file);
  store.in("other").beforeEnd(async () => {
    await store.query(task);
    await store.put(task, { title: "last" });
  });
  store.beforeEnd(async () => {
    throw new Error("failed");
  });
  await store.put(task, { title: "first" });
  await store.end();
  const later = sqlite(file);
  expect((await later.query(task)).items.map(({ data }) => data.title)).toEqual(["first", "last"]);
  await later.end();
});

test("a store that has ended rejects with unavailable", async () => {
  const store = freshStore();
  await store.put(task, { title: "a" });
  await store.end();
  await store.end();
  await expect(store.put(task, { title: "b" })).rejects.toMatchObject({ code: "unavailable" });
  await expect(store.query(task)).rejects.toMatchObject({ code: "unavailable" });
});

test("end waits for the started calls", async () => {
  const store = freshStore();
  const started = [
    store.put(task, { title: "a" }),
    store.query(task),
    store.transaction((inside) => inside.put(task, { title: "b" })),
  ];
  const ended = store.end();
  await expect(Promise.all(started)).resolves.toHaveLength(3);
  await ended;
});
