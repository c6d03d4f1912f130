import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, test } from "vitest";
import { issueKind } from "./issue-kind.ts";
import { randomLength } from "./issue-id.ts";

test("ids grow with the store, so that two machines hardly ever create the same", () => {
  expect([0, 10, 100, 1_000, 10_000, 100_000].map(randomLength)).toEqual([4, 4, 6, 7, 8, 9]);
  for (const issues of [50, 5_000, 500_000]) {
    const possible = 36 ** randomLength(issues);
    expect(issues ** 2 / possible).toBeLessThan(1e-4);
  }
});

test("children's numbers continue after children that moved to another parent", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "issue-id-"));
  const store = sqlite(path.join(folder, "store.db"));
  const kind = issueKind({ prefix: "web" });
  const parent = await store.put(kind, { title: "p" });
  expect(parent.id).toMatch(/^web-[0-9a-z]{4}$/);
  const child = () =>
    store.put(kind, { title: "c", dependencies: [{ depends_on_id: parent.id, type: "parent-child" }] });
  expect((await child()).id).toBe(`${parent.id}.1`);
  expect((await child()).id).toBe(`${parent.id}.2`);
  await store.put(kind, { dependencies: null }, { id: `${parent.id}.2`, patch: true });
  await store.close(kind, `${parent.id}.1`);
  expect((await child()).id).toBe(`${parent.id}.3`);
  await store.end();
  rmSync(folder, { recursive: true });
});
