import { defineKind } from "@toolpacks/core";
import { keepVersions } from "@toolpacks/store";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { freshStore } from "./fresh-store.fixture.ts";

const note = defineKind({ name: "note", schema: z.object({ text: z.string() }) });
const version = defineKind({ name: "version", schema: z.looseObject({}) });

let store: ReturnType<typeof freshStore>;
beforeEach(() => {
  store = freshStore();
});

/** The versions that were kept, as `id: text before, generation`. */
async function kept() {
  const { items } = await store.local().query(version);
  return items.map(({ data }) => data["line"]);
}

function keeping<T>(work: () => Promise<T>) {
  return keepVersions(async (versions, local) => {
    for (const { id, before, generation } of versions)
      await local.put(version, { line: `${id}: ${String(before?.data["text"])}, ${generation}` });
  }, work);
}

test("versions are kept in the transaction that writes them", async () => {
  await keeping(async () => {
    await store.put(note, { text: "one" }, { id: "n" });
    await store.put(note, { text: "two" }, { id: "n" });
    await store.delete(note, "n");
  });
  expect(await kept()).toEqual(["n: undefined, 1", "n: one, 3", "n: two, 0"]);
});

test("a transaction that is undone keeps none, and of a nested one, none of its own", async () => {
  const failed = keeping(() =>
    store.transaction(async (inside) => {
      await inside.put(note, { text: "one" }, { id: "n" });
      throw new Error("undone");
    }),
  );
  await expect(failed).rejects.toThrow("undone");
  expect([await kept(), await store.generation()]).toEqual([[], 0]);
  await keeping(() =>
    store.transaction(async (inside) => {
      await inside.put(note, { text: "one" }, { id: "n" });
      const nested = inside.transaction(async (own) => {
        await own.put(note, { text: "two" }, { id: "m" });
        throw new Error("undone");
      });
      await expect(nested).rejects.toThrow("undone");
    }),
  );
  expect(await kept()).toEqual(["n: undefined, 1"]);
  // What cannot be kept is not written.
  const unkept = keepVersions(
    async () => {
      throw new Error("full");
    },
    () => store.put(note, { text: "two" }, { id: "n" }),
  );
  await expect(unkept).rejects.toThrow("full");
  expect((await store.get(note, "n"))?.data.text).toBe("one");
});

test("archives and other views leave the local view out", async () => {
  await store.put(note, { text: "one" }, { id: "n" });
  await store.local().put(note, { text: "two" }, { id: "m" });
  const lines = await Array.fromAsync(store.export());
  expect(lines.flatMap((line) => ("data" in line ? [line.id] : []))).toEqual(["n"]);
  expect(lines.at(-1)).toEqual({ records: 1 });
  expect(await store.workspaces()).toEqual(["default"]);
  expect(() => store.in("toolpacks:local")).toThrow('"toolpacks:local" is reserved');
});
