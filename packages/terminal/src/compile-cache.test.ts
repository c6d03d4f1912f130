import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { enableCompileCache } from "./compile-cache.ts";

const folder = () => realpathSync(mkdtempSync(path.join(tmpdir(), "compile-cache-")));

/** The folder that Node is told to use, with this cache folder of the user. Undefined: none. */
function usedFolder(cache: string): string | undefined {
  const enable = vi.spyOn(module, "enableCompileCache").mockReturnValue({ status: 1 });
  vi.stubEnv("XDG_CACHE_HOME", cache);
  vi.stubEnv("NODE_COMPILE_CACHE", "");
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  enableCompileCache("toolpacks");
  return enable.mock.calls[0]?.[0] as string | undefined;
}

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;

test.runIf(isLinux)("a new folder for compiled code is private", () => {
  const cache = folder();
  const compiled = path.join(cache, "toolpacks/compile");
  expect(usedFolder(cache)).toBe(compiled);
  expect(statSync(compiled).mode & 0o777).toBe(0o700);
});

test.runIf(isLinux).each([
  ["is writable for others", (compiled: string) => chmodSync(compiled, 0o777), true],
  ["belongs to another user", (compiled: string) => chownSync(compiled, 64_001, 64_001), isRoot],
  ["lies in a folder of another user", (compiled: string) => chownSync(path.dirname(compiled), 64_001, 64_001), isRoot],
  ["lies in a folder that others can write", (compiled: string) => chmodSync(path.dirname(compiled), 0o777), true],
])("a folder for compiled code that %s is not used", (_, spoil, applies) => {
  if (!applies) return;
  const cache = folder();
  const compiled = path.join(cache, "toolpacks/compile");
  mkdirSync(compiled, { recursive: true, mode: 0o700 });
  expect(usedFolder(cache)).toBe(compiled);
  vi.restoreAllMocks();
  spoil(compiled);
  expect(usedFolder(cache)).toBeUndefined();
});

test.runIf(isLinux)("a link in place of the folder for compiled code is not followed", () => {
  const [cache, elsewhere] = [folder(), folder()];
  mkdirSync(path.join(cache, "toolpacks"));
  symlinkSync(elsewhere, path.join(cache, "toolpacks/compile"));
  expect(usedFolder(cache)).toBeUndefined();
  expect(readdirSync(elsewhere)).toEqual([]);
});

test.runIf(isLinux)("no folder is used if none can be written", () => {
  expect(usedFolder("/proc/none")).toBeUndefined();
  expect(existsSync("/proc/none")).toBe(false);
});
