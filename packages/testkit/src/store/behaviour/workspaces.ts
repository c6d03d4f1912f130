import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** One store, many projects. */
export function workspaceTests({ fresh }: StoreUnderTest): void {
  test("what is in one does not exist in another", async () => {
    const one = fresh();
    const two = fresh();
    await one.put(task, { title: "apple", labels: ["x"] }, { id: "a", operationId: "o" });
    expect(await two.get(task, "a")).toBeUndefined();
    expect((await two.query(task)).total).toBe(0);
    expect((await two.query(task, { text: "apple" })).total).toBe(0);
    expect((await two.query(task, { filter: { labels: { contains: "x" } } })).total).toBe(0);
    expect((await two.query(task, { sinceGeneration: 0 })).total).toBe(0);
    expect(await two.delete(task, "a")).toBe(false);
    await expect(two.close(task, "a")).rejects.toMatchObject({ code: "not_found" });
    const other = await two.put(task, { title: "pear" }, { id: "a", operationId: "o", ifGeneration: 0 });
    expect(other.data.title).toBe("pear");
    expect((await one.get(task, "a"))?.data.title).toBe("apple");
  });

  test("a query sees all of them when it is asked to", async () => {
    const one = fresh();
    const two = fresh();
    const text = `unusual${Math.random().toString(36).slice(2)}`;
    await one.put(task, { title: text, status: text }, { id: "a" });
    await two.put(task, { title: text, status: text }, { id: "a" });
    for (const query of [{ text }, { filter: { status: text } }, { text, sort: ["status"] }]) {
      const { items, total } = await one.query(task, { ...query, everyWorkspace: true });
      expect(items.map(({ workspace }) => workspace)).toEqual([one.workspace, two.workspace]);
      expect(total).toBe(2);
    }
  });

  test("those with a record are listed by name", async () => {
    const used = fresh();
    const unused = fresh();
    await used.put(task, { title: "a" });
    const names = await used.workspaces();
    expect(names).toContain(used.workspace);
    expect(names).not.toContain(unused.workspace);
    expect([...names].sort()).toEqual(names);
  });

  test("a transaction reaches others through its own store", async () => {
    const one = fresh();
    const two = fresh();
    await one.transaction(async (inside) => {
      await inside.put(task, { title: "a" }, { id: "a" });
      await inside.in(two.workspace).put(task, { title: "b" }, { id: "b" });
    });
    expect((await two.query(task)).items.map(({ id }) => id)).toEqual(["b"]);
  });

  test.each(["", "a\nb", "x".repeat(101)])("%j is no workspace", (name) => {
    expect(() => fresh().in(name)).toThrow(/workspace: expected/);
  });
}
