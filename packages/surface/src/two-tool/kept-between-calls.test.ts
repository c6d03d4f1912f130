import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { defineKind } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
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
  const put = async (title: string, { workspaceId = "default", operationId }: Batch = {}) => {
    const context = { workspaceId, sessionId: "tuesday", memory: "nothing yet", goal: "tidy the desk" };
    const calls = [{ pack: "desk", tool: "put", params: { title } }];
    const given = { context, calls, ...(operationId !== undefined && { operationId }) };
    const { content } = await client.callTool({ name: "useTools", arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  return { store, deeds, put };
}

interface Batch {
  readonly workspaceId?: string;
  readonly operationId?: string;
}

test("only old batches are removed", async () => {
  const { store, deeds, put } = await connect({ batches: { keep: 2, days: 7 } });
  await store.put(batchKind, { request: "long ago", at: "2020-01-01T00:00:00.000Z" }, { id: "old" });
  for (const title of ["a", "b", "c", "d"]) await put(title, { operationId: title });
  await expect.poll(async () => (await store.query(batchKind)).total).toBe(2);
  expect(await store.get(batchKind, "old")).toBeUndefined();
  await put("d", { operationId: "d" });
  await put("a", { operationId: "a" });
  expect(deeds.done).toEqual(["a", "b", "c", "d", "a"]);
});

test("workspaces are cached until a write, and a new workspace is visible at once", async () => {
  const thing = defineKind({ name: "thing", schema: z.object({ name: z.string() }) });
  const names = ["default", "garden"];
  let reads = 0;
  const workspaces = async () => {
    reads += 1;
    return [...names];
  };
  const { store, put } = await connect({ workspaces });
  await put("a");
  const before = reads;
  await put("b");
  expect(reads).toBe(before);
  for (let at = 0; at < 3; at += 1) expect(await put("c", { workspaceId: "garden" })).toContain("1 succeeded");
  expect(reads).toBe(before);
  expect(await put("d", { workspaceId: "shop" })).toContain('there is no workspace "shop"');
  names.push("shop");
  await store.in("shop").put(thing, { name: "counter" });
  expect(await put("e", { workspaceId: "shop" })).toContain("1 succeeded");
  expect(reads).toBe(before + 1);
});
