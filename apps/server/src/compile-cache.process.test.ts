import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folder } from "./run-cli.fixture.ts";
import { run } from "./command.process.fixture.ts";

/** A user's cache folder, and the folder for temporary files that all users share. */
function folders() {
  const [cache, temporary] = [folder(), folder()];
  const compiled = path.join(cache, "toolpacks", "compile");
  const env = { XDG_CACHE_HOME: cache, TMPDIR: temporary, NODE_COMPILE_CACHE: "" };
  return {
    cache,
    temporary,
    compiled,
    start: async () => expect(await run(["--version"], { env })).toMatchObject({ code: 0 }),
  };
}

test.skipIf(process.platform !== "linux")(
  "compiled code is kept in a private folder of the user, never in $TMPDIR",
  async () => {
    const { temporary, compiled, start } = folders();
    await start();
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(compiled)).not.toEqual([]);
    expect(statSync(compiled).mode & 0o777).toBe(0o700);
  },
);

const isRoot = process.getuid?.() === 0;
test.skipIf(process.platform !== "linux").each([
  ["is writable for others", (compiled: string) => chmodSync(compiled, 0o777), true],
  ["belongs to another user", (compiled: string) => chownSync(compiled, 64_001, 64_001), isRoot],
  ["lies in a folder of another user", (compiled: string) => chownSync(path.dirname(compiled), 64_001, 64_001), isRoot],
  ["lies in a folder that others can write", (compiled: string) => chmodSync(path.dirname(compiled), 0o777), true],
])("a folder for compiled code that %s is not used", async (_, spoil, applies) => {
  if (!applies) return;
  const { temporary, compiled, start } = folders();
  mkdirSync(compiled, { recursive: true, mode: 0o700 });
  spoil(compiled);
  await start();
  expect(readdirSync(compiled)).toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
});

test.skipIf(process.platform !== "linux")(
  "a link in place of the folder for compiled code is not followed",
  async () => {
    const { compiled, start } = folders();
    const elsewhere = folder();
    mkdirSync(path.dirname(compiled));
    symlinkSync(elsewhere, compiled);
    await start();
    expect(readdirSync(elsewhere)).toEqual([]);
  },
);

test.skipIf(process.platform !== "linux")("a command runs without a compile cache if none can be written", async () => {
  const temporary = folder();
  const env = { XDG_CACHE_HOME: "/proc/none", TMPDIR: temporary, NODE_COMPILE_CACHE: "" };
  expect(await run(["--version"], { env })).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(path.join(temporary, "node-compile-cache"))).toBe(false);
});
