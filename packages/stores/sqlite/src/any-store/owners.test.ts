import { defineKind, type Store } from "@toolpacks/core";
import { callerStore } from "@toolpacks/store";
import { expect, test } from "vitest";
import { z } from "zod";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

/** A kind whose records belong to their callers. */
const draft = defineKind({
  name: "contract_draft",
  schema: z.object({ title: z.string(), at: z.number().default(0), by: z.string().optional() }),
  owner: "by",
  indexes: [["by", "at"], "at"],
  text: ["title"],
  close: (_record, { note = "" }) => ({ title: note }),
});

const callers = (store: Store) => ({
  local: callerStore(store, ""),
  ann: callerStore(store, "ann"),
  ben: callerStore(store, "ben"),
});

test("a principal finds only its own records, by every query, and the local user finds all", async () => {
  const { local, ann, ben } = callers(freshStore());
  await local.put(draft, { title: "plan zero" }, { id: "z" });
  for (let at = 1; at <= 3; at += 1) {
    await ann.put(draft, { title: "plan of ann", at, by: "ben" }, { id: `a${at}` });
    await ben.put(draft, { title: "plan of ben", at }, { id: `b${at}` });
  }
  await ann.close(draft, "a3");
  const queries = [
    { includeClosed: true },
    { includeClosed: true, filter: { at: { gte: 0 } }, sort: ["-at"] },
    { includeClosed: true, filter: { or: [{ by: "ann" }, { not: { at: 99 } }] } },
    { text: "plan", includeClosed: true },
    { sinceGeneration: 0 },
    { includeClosed: true, everyWorkspace: true },
  ];
  for (const query of queries) {
    const { items, total } = await ben.query(draft, query);
    expect(items.map(({ id }) => id).toSorted((a, b) => a.localeCompare(b))).toEqual(["b1", "b2", "b3"]);
    expect(total).toBe(3);
  }
  expect((await ann.query(draft)).items.map(({ id, data }) => [id, data.by])).toEqual([
    ["a1", "ann"],
    ["a2", "ann"],
  ]);
  expect((await local.query(draft, { includeClosed: true })).total).toBe(7);
  expect((await ben.query(draft, { filter: { by: "ann" }, includeClosed: true })).total).toBe(0);
  const { cursor = "" } = await ann.query(draft, { limit: 1 });
  await expect(ben.query(draft, { limit: 1, cursor })).rejects.toMatchObject({ code: "invalid_input" });
});

test("another principal's record is as unknown as a missing one, and is not changed", async () => {
  const store = freshStore();
  const { local, ann, ben } = callers(store);
  const made = await ann.put(draft, { title: "plan" }, { id: "a" });
  for (const id of ["a", "none"]) {
    const missing = { code: "not_found", message: `id: there is no contract_draft with the id "${id}"` };
    expect(await ben.get(draft, id)).toBeUndefined();
    await expect(ben.close(draft, id)).rejects.toMatchObject(missing);
    await expect(ben.reopen(draft, id)).rejects.toMatchObject(missing);
    await expect(ben.put(draft, { title: "x" }, { id, patch: true })).rejects.toMatchObject(missing);
    expect(await ben.delete(draft, id)).toBe(false);
  }
  await expect(ben.put(draft, { title: "x" }, { id: "a" })).rejects.toMatchObject({ code: "conflict" });
  await ben.transaction(async (inside) => {
    expect(await inside.get(draft, "a")).toBeUndefined();
    expect(await inside.delete(draft, "a")).toBe(false);
  });
  expect(await ben.in(store.workspace).get(draft, "a")).toBeUndefined();
  expect(await ann.get(draft, "a")).toEqual(made);
  expect(await local.get(draft, "a")).toEqual(made);
  await ann.put(draft, { title: "new", by: "ben" }, { id: "a", patch: true });
  expect((await ann.close(draft, "a", "done")).data).toMatchObject({ title: "done", by: "ann" });
  expect(await ann.delete(draft, "a")).toBe(true);
});

test("principals share the records of other kinds, and no operation ids", async () => {
  const { ann, ben, local } = callers(freshStore());
  const options = { operationId: "1" };
  const first = await ann.put(task, { title: "a" }, options);
  expect(await ben.get(task, first.id)).toEqual(first);
  expect(await ann.put(task, { title: "a" }, options)).toEqual(first);
  expect((await ben.put(task, { title: "a" }, options)).id).not.toBe(first.id);
  expect((await local.put(task, { title: "b" }, options)).id).not.toBe(first.id);
  await expect(ben.put(task, { title: "b" }, options)).rejects.toMatchObject({ code: "conflict" });
  const own = await ann.put(draft, { title: "a" }, { id: "a", operationId: "2" });
  expect(await ann.put(draft, { title: "a" }, { id: "a", operationId: "2" })).toEqual(own);
  expect((await ben.put(draft, { title: "a" }, { operationId: "2" })).id).not.toBe(own.id);
  expect((await ben.close(task, first.id)).closed).toBe(true);
});
