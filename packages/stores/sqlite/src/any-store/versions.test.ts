import { defineKind } from "@toolpacks/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { freshStore } from "./fresh-store.fixture.ts";

test("an invalid stored record fails the query with its id, or is skipped and counted", async () => {
  const older = defineKind({ name: "contract_shape", schema: z.object({ tags: z.number() }) });
  const newer = defineKind({ name: "contract_shape", schema: z.object({ tags: z.array(z.string()) }) });
  const store = freshStore();
  await store.put(older, { tags: 5 }, { id: "bad" });
  await store.put(newer, { tags: ["a"] }, { id: "good" });
  const error = { code: "unavailable", message: expect.stringContaining('contract_shape "bad": ') };
  await expect(store.query(newer)).rejects.toMatchObject(error);
  await expect(store.get(newer, "bad")).rejects.toMatchObject(error);
  await expect(store.close(newer, "bad")).rejects.toMatchObject(error);
  const page = await store.query(newer, { skipDamaged: true });
  expect(page).toMatchObject({ items: [{ id: "good" }], total: 2, damaged: 1 });
  expect((await store.query(newer, { fields: [] })).items.map(({ id }) => id)).toEqual(["bad", "good"]);
  await store.put(newer, { tags: ["b"] }, { id: "bad" });
  expect((await store.get(newer, "bad"))?.data).toEqual({ tags: ["b"] });
});

test("a field of a newer declaration is read through an older one", async () => {
  const older = defineKind({ name: "contract_newer", schema: z.object({ a: z.string() }) });
  const newer = defineKind({ name: "contract_newer", schema: z.object({ a: z.string(), b: z.string() }) });
  const store = freshStore();
  await store.put(newer, { a: "1", b: "2" }, { id: "one" });
  expect((await store.get(older, "one"))?.data).toEqual({ a: "1", b: "2" });
});
