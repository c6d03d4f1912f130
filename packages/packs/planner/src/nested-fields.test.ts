import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineKind } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";

const asset = defineKind({
  name: "asset",
  schema: z.object({
    title: z.string(),
    meta: z.object({ owner: z.string(), place: z.object({ room: z.int() }).optional() }).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    tags: z.array(z.string()).optional(),
    secret: z.object({ key: z.string() }).optional(),
  }),
  indexes: ["meta.owner"],
  hidden: ["secret"],
});
const event = defineKind({ name: "event", schema: z.looseObject({ title: z.string() }) });

const store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "nested-")), "store.db"));
let connection: PackConnection;

beforeAll(async () => {
  connection = await connectPack(storePack({ store, kinds: [asset, event] }), "sdk 2, protocol 2026-07-28");
  const meta = { owner: "Ada", place: { room: 4 } };
  await store.put(asset, { title: "Desk", meta, labels: { "a.b": "x" }, secret: { key: "k" } }, { id: "a1" });
  await store.put(asset, { title: "Chair" }, { id: "a2" });
  await store.put(event, { title: "Fair", place: { city: "Rome" } }, { id: "e1" });
});

afterAll(async () => {
  await connection.close();
  await store.end();
});

const ask = async (kind: string, more: object) =>
  resultText(await connection.callTool("store_query", { kind, ...more }));

test("store_query shows dotted fields, and null where a record has no such value", async () => {
  expect(await ask("asset", { fields: ["title", "meta.owner", "meta.place.room"] })).toBe(
    "a1 Desk meta.owner=Ada meta.place.room=4\na2 Chair meta.owner=null meta.place.room=null",
  );
  expect(await ask("event", { fields: ["place.city", "place.zip"] })).toBe("e1 Rome place.zip=null");
});

test("store_query filters by an indexed dotted field, and names the indexed ones otherwise", async () => {
  expect(await ask("asset", { filter: { "meta.owner": "Ada" } })).toMatch(/^a1 /);
  expect(await ask("asset", { filter: { "meta.place.room": 4 } })).toBe(
    'invalid_input: filter: "meta.place.room" is not an indexed field of kind asset\nIndexed: id, meta.owner.',
  );
});

test.each([
  ["meta.ownr", 'fields: a asset has no "meta.ownr", did you mean meta.owner?\nmeta has owner, place.'],
  ["title.first", 'fields: a asset has no "title.first"\ntitle has no named values, show all of it.'],
  ["tags.0", 'fields: a asset has no "tags.0"\ntags has no named values, show all of it.'],
  ["mta.owner", 'fields: a asset has no field "mta.owner", did you mean meta?\nIt has title, meta, labels, tags.'],
])("store_query refuses the field %s, which the schema does not have", async (field, message) => {
  expect(await ask("asset", { fields: [field] })).toBe(`invalid_input: ${message}`);
});

test("store_query refuses a value inside a hidden field", async () => {
  expect(await ask("asset", { fields: ["secret.key"] })).toMatch(/^denied: fields: secret of a asset/);
});
