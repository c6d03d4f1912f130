import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Interceptor, Outcome } from "@toolpacks/core";
import { connectPack, hosts } from "@toolpacks/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesystem } from "./filesystem.ts";

const files = 3_000;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "filesystem-"));
  await mkdir(path.join(root, "many"));
  const names = Array.from({ length: files }, (_, at) => path.join(root, "many", `${at}.txt`));
  await Promise.all(names.map((name) => writeFile(name, "text")));
});

afterAll(() => rm(root, { recursive: true, force: true }));

test.each(hosts)("fs_copy stops when the client cancels it over %s, and leaves nothing half-copied", async (host) => {
  let running: Promise<Outcome> | undefined;
  const watch: Interceptor = (call, next) => (running = next(call));
  const connection = await connectPack(filesystem({ roots: [root], write: true }), host, { interceptors: [watch] });
  const controller = new AbortController();
  const onProgress = () => controller.abort();
  const args = { from: "many", to: "copy" };
  await expect(connection.callTool("fs_copy", args, { signal: controller.signal, onProgress })).rejects.toThrow();
  expect(await running).toMatchObject({ ok: false, failure: { code: "cancelled" } });
  expect(await readdir(root)).toEqual(["many"]);
  expect(await readdir(path.join(root, "many"))).toHaveLength(files);
  await connection.close();
});
