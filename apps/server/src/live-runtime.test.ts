import { setImmediate } from "node:timers/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Surface } from "@toolpacks/surface";
import { afterEach, expect, test } from "vitest";
import type { ClientRoots } from "@toolpacks/files";
import { folder, testIo } from "./run-cli.fixture.ts";
import { localPrincipal } from "@toolpacks/host";
import { LiveRuntime } from "./live-runtime.ts";
import { createRuntime, type Runtime } from "./mount/runtime.ts";

const open: Runtime[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.finish(0)));
});

/** Creates a runtime with a store of its own and without roots. */
async function create(named?: ClientRoots): Promise<Runtime> {
  const runtime = await createRuntime(
    { store: path.join(folder(), "store.db"), logLevel: "silent", userConfig: false },
    { io: testIo().io, named },
  );
  open.push(runtime);
  return runtime;
}

test("roots of a client are used only if the host has one client", async () => {
  const runtime = await create();
  const surfaceOf = (hasOneClient: boolean) =>
    new LiveRuntime(runtime, { create, hasOneClient }).surfaceFor(localPrincipal);
  expect(await surfaceOf(false)).toHaveProperty("useRoots", undefined);
  expect(await surfaceOf(false)).toHaveProperty("mayChange", false);
  expect(await surfaceOf(true)).toHaveProperty("useRoots", expect.any(Function));
  expect(await surfaceOf(true)).toHaveProperty("mayChange", true);
});

test("use of roots resolves when every connection serves their surface, which is replaced once", async () => {
  const live = new LiveRuntime(await create(), { create, hasOneClient: true });
  const served = await live.surfaceFor(localPrincipal);
  const seen: Surface[] = [];
  served.watch?.({
    async replace(next) {
      await setImmediate();
      seen.push(next);
    },
  });
  const uris = [pathToFileURL(folder()).href];
  await served.useRoots?.(uris);
  expect(seen).toEqual([served.current]);
  expect(served.current.catalog.packs.map(({ name }) => name)).toContain("filesystem");
  await served.useRoots?.(uris);
  expect(seen).toHaveLength(1);
});

test("roots that cannot be used fail until a runtime can be created, and the previous runtime keeps serving", async () => {
  const first = await create();
  let isBroken = true;
  const live = new LiveRuntime(first, {
    create: (roots) => (isBroken ? Promise.reject(new Error("no store")) : create(roots)),
    hasOneClient: true,
  });
  const served = await live.surfaceFor(localPrincipal);
  const uris = [pathToFileURL(folder()).href];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(served.useRoots?.(uris)).rejects.toMatchObject({ code: "unavailable" });
    expect(served.current.catalog).toBe(first.surface.catalog);
  }
  isBroken = false;
  await served.useRoots?.(uris);
  expect(served.current.catalog).not.toBe(first.surface.catalog);
});

test("a replaced runtime ends at once, or with the current runtime while calls run", async () => {
  const finished: string[] = [];
  const ended = Promise.withResolvers<void>();
  const watched = (runtime: Runtime, name: string): Runtime => ({
    ...runtime,
    async finish(drainTimeoutMs) {
      finished.push(`${name} ${drainTimeoutMs}`);
      if (drainTimeoutMs === undefined) await ended.promise;
    },
  });
  const next = watched(await create(), "second");
  const live = new LiveRuntime(watched(await create(), "first"), { create: async () => next, hasOneClient: true });
  await live.reload();
  expect(finished).toEqual(["first undefined"]);
  await live.finish(7);
  expect(finished).toEqual(["first undefined", "first 7", "second 7"]);
  ended.resolve();
  await setImmediate();
  await live.finish(8);
  expect(finished.slice(3)).toEqual(["second 8"]);
});
