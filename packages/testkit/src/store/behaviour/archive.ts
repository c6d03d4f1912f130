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

  test("archives cannot add indexes without limit, and none to a kind of a mounted pack", async () => {
    const store = (await openPlace(create))();
    await store.put(task, { title: "precious" }, { id: "a" });
    const before = await Array.fromAsync(store.export());
    const fields = (from: number) => Array.from({ length: 40 }, (_, at) => `field${from + at}`);
    const indexes = (from: number) => fields(from).map((path) => [{ path, type: "string" as const }]);
    const last: ArchiveLine = { records: 0 };
    const refused = {
      code: "too_large",
      message: expect.stringMatching(/^line 2: the kind other would have more than 64/),
    };
    const other = { kind: "other", indexes: [], text: [] };
    for (const lines of [
      [{ ...other, indexes: indexes(0) }, { ...other, indexes: indexes(40) }, last],
      [{ ...other, text: fields(0) }, { ...other, text: fields(40) }, last],
    ]) {
      await expect(store.import(lines)).rejects.toMatchObject(refused);
    }
    await store.import([{ ...other, indexes: indexes(0) }, last]);
    await expect(store.import([last, { ...other, indexes: indexes(40) }])).rejects.toMatchObject(refused);
    await store.import([{ kind: task.name, indexes: indexes(0), text: fields(0) }, last], [task]);
    expect((await Array.fromAsync(store.export())).filter((line) => "kind" in line && line.kind === task.name)).toEqual(
      before.slice(0, -1),
    );
    expect(await store.get(task, "a")).toMatchObject({ data: { title: "precious" } });
  });

  test("an import never removes fields from the full text of a kind", async () => {
    const store = (await openPlace(create))();
    await store.put(task, { title: "apple" });
    await store.import([{ kind: task.name, indexes: [], text: [] }, { records: 0 }]);
    expect((await store.query(task, { text: "apple" })).total).toBe(1);
  });

  test("end waits for the started calls", async () => {
    const store = (await openPlace(create))();
    const started = [
      store.put(task, { title: "a" }),
      store.query(task),
      store.transaction((inside) => inside.put(task, { title: "b" })),
    ];
    const ended = store.end();
    await expect(Promise.all(started)).resolves.toHaveLength(3);
    await ended;
  });

  test("end waits for the functions of beforeEnd, which may write", async () => {
    const open = await openPlace(create);
    const store = open();
    store.in("other").beforeEnd(async () => {
      await store.query(task);
      await store.put(task, { title: "last" });
    });
    store.beforeEnd(async () => {
      throw new Error("failed");
    });
    await store.put(task, { title: "first" });
    await store.end();
    const later = open();
    expect((await later.query(task)).items.map(({ data }) => data.title)).toEqual(["first", "last"]);
  });

  test("a store that has ended rejects with unavailable", async () => {
    const store = (await openPlace(create))();
    await store.put(task, { title: "a" });
    await store.end();
    await store.end();
    await expect(store.put(task, { title: "b" })).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.query(task)).rejects.toMatchObject({ code: "unavailable" });
  });
}
