import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openVectorFile } from "./vector-file.ts";

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), "vectors-"));
  file = path.join(folder, "inside", "some.vectors");
  return () => rmSync(folder, { recursive: true });
});

const vector = (value: number) => Float32Array.from([value, -value]);

test("keeps vectors by their text, of several processes", async () => {
  const [one, other] = [openVectorFile(file, 2), openVectorFile(file, 2)];
  expect(await one.get("a")).toBeUndefined();
  expect(await other.get("a")).toBeUndefined();
  await one.add(["a", "b"], [vector(1), vector(2)]);
  await other.add(["c"], [vector(3)]);
  const third = openVectorFile(file, 2);
  expect(await Promise.all(["a", "b", "c", "d"].map((text) => third.get(text)))).toEqual([
    vector(1),
    vector(2),
    vector(3),
    undefined,
  ]);
});

test("removes a part of an entry that a killed process left", async () => {
  await openVectorFile(file, 2).add(["a"], [vector(1)]);
  appendFileSync(file, "torn");
  const next = openVectorFile(file, 2);
  expect(await next.get("a")).toEqual(vector(1));
  await next.add(["b"], [vector(2)]);
  expect(await openVectorFile(file, 2).get("b")).toEqual(vector(2));
});

test("begins anew when it is full", async () => {
  const texts = Array.from({ length: 20_000 }, (_, at) => `text ${at}`);
  const kept = openVectorFile(file, 2);
  await kept.add(
    texts,
    texts.map((_, at) => vector(at)),
  );
  await kept.add(["one more"], [vector(7)]);
  expect(readFileSync(file)).toHaveLength(16 + 2 * 4);
  expect(await openVectorFile(file, 2).get("one more")).toEqual(vector(7));
});

test("vectors that cannot be written are not kept", async () => {
  const blocked = openVectorFile(path.join(import.meta.filename, "no-folder"), 2);
  await blocked.add(["a"], [vector(1)]);
  expect(await blocked.get("a")).toEqual(vector(1));
});
