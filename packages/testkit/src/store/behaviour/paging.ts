import { defineKind, type Query, type Store } from "@toolpacks/core";
import { everyRecord, type UnpagedQuery } from "@toolpacks/store";
import { expect, test } from "vitest";
import { z } from "zod";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** The ids of all pages. After each page, `between` writes. */
async function readAll(store: Store, query: UnpagedQuery, between: (page: number) => Promise<void>): Promise<string[]> {
  const ids: string[] = [];
  const { pageSize = 7 } = query;
  for await (const { id } of everyRecord(store, task, { ...query, pageSize })) {
    ids.push(id);
    if (ids.length % pageSize === 0) await between(ids.length / pageSize);
  }
  return ids;
}

const priorities = [3, 1, undefined, 2, 1, 3, undefined, 2];

/** Cursors, while others write. */
export function pagingTests({ fresh }: StoreUnderTest): void {
  const queries: readonly (readonly [string, Query])[] = [
    ["by age", {}],
    ["by a field with ties and gaps", { sort: ["priority"] }],
    ["by the field descending", { sort: ["-priority"] }],
    ["by two fields", { sort: ["status", "-priority"] }],
    ["by rank", { text: "kept" }],
    ["by rank of any word", { text: "kept word", match: "any" }],
    ["by a field among words", { text: "kept", sort: ["-priority"] }],
    ["by filter", { filter: { or: [{ priority: { gte: 1 } }, { priority: null }] } }],
  ];

  test.each(queries)(
    "%s: a record that always matches is returned exactly once during other writes",
    async (_, query) => {
      const store = fresh();
      const kept: string[] = [];
      for (let at = 0; at < 40; at += 1) {
        const priority = priorities[at % priorities.length];
        const id = `kept${at}`;
        const word = at % 3 === 0 ? " word" : "";
        await store.put(task, { title: `kept ${at}${word}`, priority }, { id });
        kept.push(id);
        await store.put(task, { title: `kept too, ${at}`, priority: 2 }, { id: `gone${at}` });
      }
      const ids = await readAll(store, query, async (page) => {
        await store.put(task, { title: `kept new ${page} ${"word ".repeat(page)}`, priority: page % 4 });
        await store.delete(task, `gone${page}`);
        await store.close(task, `gone${page + 20}`);
      });
      const seen = ids.filter((id) => id.startsWith("kept"));
      expect([...seen].sort()).toEqual([...kept].sort());
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test("a long list by rank is read completely", async () => {
    const store = fresh();
    await store.transaction(async (inside) => {
      for (let at = 0; at < 700; at += 1)
        await inside.put(task, { title: `word ${"more ".repeat(at % 9)}` }, { id: `t${at}` });
    });
    const ids = await readAll(store, { text: "word", pageSize: 90 }, async (page) => {
      await store.put(task, { title: "word word" }, { id: `new${page}` });
    });
    expect(ids.filter((id) => id.startsWith("t"))).toHaveLength(700);
    expect(new Set(ids).size).toBe(ids.length);
  });

  const tally = defineKind({ name: "contract_tally", schema: z.object({ of: z.string() }), indexes: ["of"] });

  test("the total of a page stops at 10,000, or where countTo says; a limit of 0 counts everything", async () => {
    const store = fresh();
    await store.transaction(async (inside) => {
      for (let at = 0; at < 10_002; at += 1)
        await inside.put(tally, { of: at < 10_000 ? "many" : "few" }, { id: `t${at}` });
    });
    const totals = async (query: Query) => {
      const { items, total, atLeast } = await store.query(tally, query);
      return { shown: items.length, total, atLeast };
    };
    expect(await totals({ limit: 1 })).toEqual({ shown: 1, total: 10_000, atLeast: true });
    expect(await totals({ limit: 1, filter: { of: "many" } })).toEqual({ shown: 1, total: 10_000, atLeast: undefined });
    expect(await totals({ limit: 1, countTo: Infinity })).toEqual({ shown: 1, total: 10_002, atLeast: undefined });
    expect(await totals({ limit: 1, countTo: 10_002 })).toEqual({ shown: 1, total: 10_002, atLeast: undefined });
    expect(await totals({ limit: 1, countTo: 7 })).toEqual({ shown: 1, total: 7, atLeast: true });
    expect(await totals({ limit: 0, countTo: 7 })).toEqual({ shown: 0, total: 7, atLeast: true });
    await expect(totals({ countTo: 1.5 })).rejects.toThrow("countTo: expected a whole number");
    expect(await totals({ limit: 0 })).toEqual({ shown: 0, total: 10_002, atLeast: undefined });
  });
}
