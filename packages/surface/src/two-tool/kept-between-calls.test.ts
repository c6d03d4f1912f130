import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createSurface } from "../surface.ts";
import { wires } from "../wire.fixture.ts";
import { batchKind } from "./batch.ts";
import { deskPack } from "./desk.fixture.ts";
import type { TwoToolOptions } from "./two-tools.ts";

async function connect(options: Partial<TwoToolOptions>) {
  const folder = mkdtempSync(path.join(tmpdir(), "two-tool-"));
  const store = sqlite(path.join(folder, "store.db"));
  const { pack, deeds } = deskPack();
  const surface = await createSurface({ packs: [pack], surface: "two-tool", twoTool: { ...options, store } });
  const client = (await wires["sdk 2, protocol 2026-07-28"](surface)).client as Client;
  onTestFinished(async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  const put = async (title: string, operationId: string) => {
    const context = { sessionId: "tuesday", memory: "nothing yet", goal: "tidy the desk" };
    const calls = [{ pack: "desk", tool: "put", params: { title } }];
    const given = { context, calls, operationId };
    const { content } = await client.callTool({ name: "useTools", arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  return { store, deeds, put };
}

test("only old batches are removed", async () => {
  const { store, deeds, put } = await connect({ batches: { keep: 2, days: 7 } });
  await store.put(batchKind, { request: "long ago", at: "2020-01-01T00:00:00.000Z" }, { id: "old" });
  for (const title of ["a", "b", "c", "d"]) await put(title, title);
  await expect.poll(async () => (await store.query(batchKind)).total).toBe(2);
  expect(await store.get(batchKind, "old")).toBeUndefined();
  await put("d", "d");
  await put("a", "a");
  expect(deeds.done).toEqual(["a", "b", "c", "d", "a"]);
});
