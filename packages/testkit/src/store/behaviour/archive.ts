import type { ArchiveLine } from "@toolpacks/core";
import { expect, test } from "vitest";
import { openPlace, type StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** A line for a record of the kind `task`. */
function lineOf(id: string, generation: number, title = id): ArchiveLine {
  const data = { title, status: "open" };
  return { kind: task.name, workspace: "default", id, generation, closed: false, data };
}

/** Export and import of everything. */
export function archiveTests({ create }: StoreUnderTest): void {
  test("an import into another store restores records, order, generations and full text", async () => {
    const [openSource, openTarget] = [await openPlace(create), await openPlace(create)];
    const [source, target] = [openSource({ workspace: "one" }), openTarget({ workspace: "one" })];
    await source.put(task, { title: "first 登录", labels: ["x"] }, { id: "z" });
    await source.in("two").put(task, { title: "elsewhere", extra: { deep: [1, null] } }, { id: "z" });
    await source.put(task, { title: "second" }, { id: "a" });
    await source.close(task, "a", "done");
    await source.put(task, { title: "first again" }, { id: "z", patch: true });

    const lines = await Array.fromAsync(source.export());
    expect(await target.import(lines)).toEqual({ records: 3 });
    const everything = { includeClosed: true, everyWorkspace: true };
    expect((await target.query(task, everything)).items).toEqual((await source.query(task, everything)).items);
    expect(await target.generation()).toBe(await source.generation());
    expect((await target.query(task, { text: "again" })).items.map(({ id }) => id)).toEqual(["z"]);
    expect((await target.query(task, { filter: { labels: { contains: "x" } } })).total).toBe(1);
    expect(await Array.fromAsync(target.export())).toEqual(lines);
    expect(await target.check()).toEqual([]);

    const added = await target.put(task, { title: "later" });
    expect(added.generation).toBe((await source.generation()) + 1);
    expect((await target.query(task)).items.map(({ id }) => id)).toEqual(["z", added.id]);
  });

  test("an import replaces records of the same id, later writes are younger, and a wrong line undoes all of it", async () => {
    const store = (await openPlace(create))();
    await store.put(task, { title: "old" }, { id: "a" });
    await store.put(task, { title: "kept" }, { id: "b" });
    const header: ArchiveLine = { kind: task.name, indexes: [], text: ["title"] };
    await store.import([header, lineOf("a", 7, "new"), lineOf("c", 3, "added"), { records: 2 }]);
    const { items } = await store.query(task, { sort: ["generation"] });
    expect(items.map(({ id, data }) => `${id} ${data.title}`)).toEqual(["b kept", "c added", "a new"]);
    // Later writes get higher generations than the archive's.
    await store.import([header, ...Array.from("efghijklmnop", (id) => lineOf(id, 0)), { records: 12 }]);
    for (const id of "qrstuvwxyz") await store.put(task, { title: id }, { id });
    expect((await store.query(task, { limit: 100 })).items.map(({ id }) => id).join("")).toBe(
      "abcefghijklmnopqrstuvwxyz",
    );
    const before = await Array.fromAsync(store.export());
    for (const wrong of [
      { kind: "no such" },
      { ...lineOf("d", 1, "x"), kind: "undescribed" },
      "text",
      { kind: task.name, id: 5 },
      { ...lineOf("d", 1, "x"), generation: Number.MAX_SAFE_INTEGER },
      { ...lineOf("d\n", 1, "x") },
      { ...lineOf("d", 1, "a\0b") },
      { kind: task.name, indexes: [[]], text: [] },
      { records: 7 },
    ]) {
      const failing = store.import([header, lineOf("d", 1, "x"), wrong as ArchiveLine]);
      await expect(failing).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringMatching(/^line 3: /),
      });
    }
    await expect(store.import([header, lineOf("d", 1, "x")])).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("its last line is missing"),
    });
    expect(await Array.fromAsync(store.export())).toEqual(before);
  });

  test("an export can be imported also after imports with high generations", async () => {
    const [source, target] = [(await openPlace(create))(), (await openPlace(create))()];
    const header: ArchiveLine = { kind: task.name, indexes: [], text: [] };
    await source.put(task, { title: "a" }, { id: "a" });
    for (const id of ["b", "c"]) await source.import([header, lineOf(id, 2 ** 40), { records: 1 }]);
    await source.put(task, { title: "d" }, { id: "d" });
    for (let times = 0; times < 2; times += 1) await target.import(source.export());
    await target.put(task, { title: "e" }, { id: "e" });
    const { items } = await target.query(task, { sort: ["generation"] });
    expect(items.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e"]);
    await source.import(target.export());
  });

  test("an import never removes fields from the full text of a kind", async () => {
    const store = (await openPlace(create))();
    await store.put(task, { title: "apple" });
    await store.import([{ kind: task.name, indexes: [], text: [] }, { records: 0 }]);
    expect((await store.query(task, { text: "apple" })).total).toBe(1);
  });
}
