import { expect, test } from "vitest";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

test("a move brings all records of a workspace into another one, and replaces none", async () => {
  const store = freshStore({ workspace: "one" });
  const two = store.in("two");
  for (const id of ["a", "b", "same", "taken", "two"]) await two.put(task, { title: `${id} of two` }, { id });
  await two.close(task, "b", "done");
  await store.put(task, { title: "same of two" }, { id: "same" });
  await store.put(task, { title: "another" }, { id: "taken" });
  await store.in("three").put(task, { title: "a of three" }, { id: "a" });
  const stayed = ["same", "taken", "two"].map((id) => `${task.name} ${id}`);
  expect(await store.move("two", "one")).toEqual({ moved: 2, stayed });
  const titles = async (of: typeof two) =>
    (await of.query(task, { includeClosed: true })).items.map(({ data }) => data.title);
  expect(await titles(store)).toEqual(["same of two", "another", "a of two", "b of two"]);
  expect(await titles(two)).toEqual(["same of two", "taken of two", "two of two"]);
  expect(await titles(store.in("three"))).toEqual(["a of three"]);
  expect((await store.query(task, { text: "two" })).items.map(({ id }) => id).toSorted()).toEqual(["a", "same"]);
  expect(await store.get(task, "b")).toMatchObject({ closed: true, data: { title: "b of two" } });
  expect(await store.move("two", "one")).toEqual({ moved: 0, stayed });
  expect(await store.check()).toEqual([]);
  await expect(store.move("two", "toolpacks:internal")).rejects.toMatchObject({ code: "invalid_input" });
});
