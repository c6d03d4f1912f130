import { defineKind, type Query } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import { expect, test } from "vitest";
import { z } from "zod";
import type { StoreUnderTest } from "../store-place.ts";

const note = defineKind({
  name: "contract_large_text",
  schema: z.object({ text: z.string(), of: z.string() }),
  indexes: ["of"],
  text: ["text"],
});

/** More records than a driver needs to rank all. */
const count = 5_300;

/** Every record has `common`, one of two has `usual`, one of 1,000 `seldom`, one of 2,000 `rare`. */
function textOf(at: number): string {
  const words = ["common", `own${at}`];
  if (at % 2 === 0) words.push("usual");
  if (at % 1_000 === 7) words.push("seldom");
  if (at % 2_000 === 8) words.push("rare");
  if (at === 2_007) words.push("usual", "rare");
  return words.join(" ");
}

/** Full text of many records, of which a driver ranks only some. */
export function largeTextTests({ fresh }: StoreUnderTest): void {
  test(
    "among many records with a common word, those with the rarest words come first, and every match is found",
    { timeout: 120_000 },
    async () => {
      const store = fresh();
      await store.transaction(async (inside) => {
        for (let at = 0; at < count; at += 1)
          await inside.put(note, { text: textOf(at), of: at % 1_000 === 11 ? "few" : "many" }, { id: `n${at}` });
      });
      const ids = async (query: Query) => (await store.query(note, query)).items.map(({ id }) => id);
      const any = { match: "any", limit: 9 } as const;
      expect((await ids({ text: "common rare", ...any })).slice(0, 4).sort()).toEqual([
        "n2007",
        "n2008",
        "n4008",
        "n8",
      ]);
      expect((await ids({ text: "usual seldom rare common", ...any }))[0]).toBe("n2007");
      expect(await ids({ text: "common usual own4444", ...any, limit: 1 })).toEqual(["n4444"]);
      expect(await ids({ text: "common rare", limit: 9 })).toHaveLength(4);
      const few = ["n1011", "n11", "n2011", "n3011", "n4011", "n5011"];
      expect((await ids({ text: "common rare", ...any, filter: { of: "few" } })).sort()).toEqual(few);
      expect((await ids({ text: "common", filter: { of: "few" } })).sort()).toEqual(few);
      const page = await store.query(note, { text: "common rare", ...any });
      expect([page.total, page.atLeast]).toEqual([1_000, true]);
      expect((await store.query(note, { text: "common rare", ...any, countTo: Infinity })).total).toBe(count);
      const read: string[] = [];
      for await (const { id } of everyRecord(store, note, {
        text: "common rare seldom",
        match: "any",
        pageSize: 999,
      })) {
        read.push(id);
        // A record with the words is changed after each page.
        if (read.length % 999 === 0) await store.put(note, { text: "common rare seldom", of: "many" }, { id: "n5000" });
      }
      expect([read.length, new Set(read).size]).toEqual([count, count]);
    },
  );
}
