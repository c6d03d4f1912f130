import type { Store } from "@toolpacks/core";
import { expect, test } from "vitest";
import { openPlace, type StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** Separate workspaces in one store. The generated sequences write the same ids and operations in two. */
export function workspaceTests({ fresh, create }: StoreUnderTest): void {
  test("a query with everyWorkspace finds records of all workspaces", async () => {
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

  test("workspaces with a record are listed by name", async () => {
    const used = fresh();
    const unused = fresh();
    await used.put(task, { title: "a" });
    const names = await used.workspaces();
    expect(names).toContain(used.workspace);
    expect(names).not.toContain(unused.workspace);
    expect([...names].sort()).toEqual(names);
  });

  test("a transaction writes to other workspaces through its own store", async () => {
    const one = fresh();
    const two = fresh();
    await one.transaction(async (inside) => {
      await inside.put(task, { title: "a" }, { id: "a" });
      await inside.in(two.workspace).put(task, { title: "b" }, { id: "b" });
    });
    expect((await two.query(task)).items.map(({ id }) => id)).toEqual(["b"]);
  });

  test("a restricted store opens its own and the allowed workspaces, and no other", async () => {
    const own = (await openPlace(create))({ workspace: "own" });
    const [allowed, forbidden] = [own.in("allowed"), own.in("forbidden")];
    const text = `unusual${Math.random().toString(36).slice(2)}`;
    for (const store of [own, allowed, forbidden]) await store.put(task, { title: text, status: text });
    const restricted = own.restrict({ workspaces: [allowed.workspace], hint: "Ask the user." });
    const ownOnly = own.restrict({ workspaces: "own" });
    const found = async (store: Store) => {
      const queries = [{ text }, { filter: { status: text } }];
      const pages = await Promise.all(queries.map((query) => store.query(task, { ...query, everyWorkspace: true })));
      return pages.map(({ items, total }) => [total, ...items.map(({ workspace }) => workspace)]);
    };
    const expected = [2, own.workspace, allowed.workspace];
    expect(await found(restricted)).toEqual([expected, expected]);
    expect(await found(ownOnly)).toEqual([
      [1, own.workspace],
      [1, own.workspace],
    ]);
    expect((await restricted.workspaces()).toSorted()).toEqual(["allowed", "own"]);
    expect(await ownOnly.workspaces()).toEqual([own.workspace]);
    expect((await restricted.in(allowed.workspace).query(task)).total).toBe(1);
    const denied = { code: "denied", hint: "Ask the user." };
    for (const open of [
      () => restricted.in(forbidden.workspace),
      () => restricted.in(allowed.workspace).in(forbidden.workspace),
    ]) {
      expect(open).toThrow(expect.objectContaining(denied));
    }
    const inside = restricted.transaction(async (store) => store.in(forbidden.workspace).put(task, { title: "x" }));
    await expect(inside).rejects.toMatchObject(denied);
    expect((await found(own.restrict({ workspaces: "all" })))[0]?.[0]).toBe(3);
  });
}
