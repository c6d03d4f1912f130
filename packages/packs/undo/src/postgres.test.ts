import { postgres } from "@toolpacks/store-postgres";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { expect, test } from "vitest";
import { note, undoable } from "./undo.fixture.ts";

test("takes back files and records on PostgreSQL, from a second process too", async () => {
  const database = await createDatabase();
  const at = undoable(() => postgres(database.address));
  const other = undoable(() => postgres(database.address));
  try {
    await at.call("store_put", { kind: "note", id: "n", record: { text: "one" } });
    await at.call("store_put", { kind: "note", id: "n", record: { text: "two" } });
    await at.call("fs_write", { path: "a.txt", content: "a" });
    const { items } = await at.call("undo_list", {});
    const [file, second, first] = (items as { call: string }[]).map(({ call }) => call);
    await other.call("undo", { call: second });
    expect((await at.store.get(note, "n"))?.data).toEqual({ text: "one" });
    await at.call("undo", { call: file });
    await at.call("undo", { call: first });
    expect(await other.store.get(note, "n")).toBeUndefined();
    await at.call("undo", { since: 0 }).catch(() => {});
  } finally {
    await Promise.all([at.end(), other.end()]);
    await database.remove();
  }
});
