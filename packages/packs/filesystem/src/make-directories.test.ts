import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Interceptor, Outcome } from "@toolpacks/core";
import { connectPack } from "@toolpacks/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesystem } from "./filesystem.ts";
import { folderOf, onWire } from "./wire.fixture.ts";

let root: string;
const deep = Array.from({ length: 2_000 }, () => "a").join("/");

beforeEach(async () => {
  root = await folderOf({});
});

afterEach(() => rm(root, { recursive: true, force: true }));

test("fs_mkdir creates 2,000 levels in seconds", async () => {
  const wire = await onWire({ roots: [root], write: true });
  const started = performance.now();
  expect(await wire.ask("fs_mkdir", { path: deep })).toBe(`made ${deep}`);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(await wire.ask("fs_mkdir", { path: deep })).toBe(`${deep} exists already`);
  await wire.close();
});

test("fs_mkdir of 2,000 levels stops when the client cancels it", async () => {
  let running: Promise<Outcome> | undefined;
  const controller = new AbortController();
  const watch: Interceptor = (call, next) => {
    running = next(call);
    controller.abort();
    return running;
  };
  const connection = await connectPack(filesystem({ roots: [root], write: true }), "sdk 2, protocol 2026-07-28", {
    interceptors: [watch],
  });
  await expect(connection.callTool("fs_mkdir", { path: deep }, { signal: controller.signal })).rejects.toThrow();
  expect(await running).toMatchObject({ ok: false, failure: { code: "cancelled" } });
  expect(existsSync(path.join(root, deep))).toBe(false);
  await connection.close();
});
