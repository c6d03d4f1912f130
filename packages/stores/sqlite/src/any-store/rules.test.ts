import { defineKind, ToolError, type Change } from "@toolpacks/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { freshStore } from "./fresh-store.fixture.ts";

const tally = defineKind({ name: "contract_tally", schema: z.object({ count: z.int() }) });

/** A kind whose rule counts its records in another kind, refuses some, changes others, and whose ids come from the record. */
const counted = defineKind({
  name: "contract_counted",
  schema: z.object({ text: z.string(), seen: z.array(z.string()).optional(), status: z.string().optional() }),
  indexes: ["status"],
  newId: (record) => `${record.text.slice(0, 2)}-1`,
  async rule(change: Change<{ text: string; seen?: string[] | undefined; status?: string | undefined }>) {
    const { operation, after, before, store } = change;
    const { data } = (await store.get(tally, "all")) ?? { data: { count: 0 } };
    const step = before === undefined ? 1 : operation === "delete" ? -1 : 0;
    await store.put(tally, { count: data.count + step }, { id: "all" });
    if (after.text === "refused") throw new ToolError("conflict", "text: refused by the rule");
    const seen = [...(before?.data.seen ?? []), operation];
    return { record: { ...after, seen }, closed: after.status === "closed" || change.closed };
  },
});

test("a rule is called for every write, may change it, and may write other records in the same transaction", async () => {
  const store = freshStore();
  await store.put(counted, { text: "one" }, { id: "a" });
  await store.put(counted, { text: "two" }, { id: "a", patch: true });
  await store.close(counted, "a");
  await store.reopen(counted, "a");
  expect((await store.get(counted, "a"))?.data).toEqual({ text: "two", seen: ["put", "put", "close", "reopen"] });
  expect((await store.get(tally, "all"))?.data).toEqual({ count: 1 });
  await store.delete(counted, "a");
  expect((await store.get(tally, "all"))?.data).toEqual({ count: 0 });
});

test("a rule that refuses undoes its own writes, with and without an outer transaction", async () => {
  const store = freshStore();
  await store.put(counted, { text: "one" }, { id: "a" });
  await expect(store.put(counted, { text: "refused" }, { id: "b" })).rejects.toMatchObject({ code: "conflict" });
  await store.transaction(async (inside) => {
    await expect(inside.put(counted, { text: "refused" }, { id: "c" })).rejects.toMatchObject({ code: "conflict" });
    await inside.put(counted, { text: "kept" }, { id: "d" });
  });
  expect((await store.query(counted)).items.map(({ id }) => id)).toEqual(["a", "d"]);
  expect((await store.get(tally, "all"))?.data).toEqual({ count: 2 });
});

test("a rule may close the record of a put", async () => {
  const store = freshStore();
  expect(await store.put(counted, { text: "x", status: "closed" }, { id: "a" })).toMatchObject({ closed: true });
  expect((await store.query(counted)).total).toBe(0);
});

test("simultaneous writers never see a rule half done", async () => {
  const store = freshStore();
  await Promise.all(Array.from({ length: 30 }, (_, at) => store.put(counted, { text: `t${at}` }, { id: `t${at}` })));
  expect((await store.get(tally, "all"))?.data).toEqual({ count: 30 });
});

test("newId sets the id, and an existing record with this id is never replaced", async () => {
  const store = freshStore();
  expect((await store.put(counted, { text: "abc" })).id).toBe("ab-1");
  await expect(store.put(counted, { text: "abd" })).rejects.toThrow(/newId/);
  expect((await store.get(counted, "ab-1"))?.data.text).toBe("abc");
});
