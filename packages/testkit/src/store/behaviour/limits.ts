import { defineKind } from "@toolpacks/core";
import { expect, test } from "vitest";
import { z } from "zod";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** The longest indexed texts, and odd ids. */
export function limitTests({ fresh }: StoreUnderTest): void {
  test("an indexed string longer than an index can hold is refused", async () => {
    const store = fresh();
    await expect(store.put(task, { title: "x", status: "é".repeat(600) })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("status"),
    });
    const status = "é".repeat(500);
    await store.put(task, { title: "x", status, due: status, labels: [status] });
    expect((await store.query(task, { filter: { status, due: status, labels: { contains: status } } })).total).toBe(1);
  });

  test("any other text is accepted as an id", async () => {
    const store = fresh();
    for (const id of ["ä ö/../x", "'; --", "👍", "0", "true", "%", "x".repeat(200)]) {
      await store.put(task, { title: id }, { id });
      expect((await store.get(task, id))?.data.title).toBe(id);
    }
  });

  test("fields that are too long together for one index are refused, and the rest of a transaction is kept", async () => {
    const wide = defineKind({
      name: "contract_wide",
      schema: z.object({ a: z.string(), b: z.string(), c: z.string() }),
      indexes: [["a", "b", "c"]],
    });
    const store = fresh();
    await store.transaction(async (inside) => {
      await inside.put(wide, { a: "1", b: "2", c: "3" }, { id: "kept" });
      const long = { a: "x".repeat(990), b: "y".repeat(990), c: "z".repeat(990) };
      await expect(inside.put(wide, long)).rejects.toMatchObject({ code: "too_large" });
    });
    expect((await store.query(wide)).items.map(({ id }) => id)).toEqual(["kept"]);
  });
}
