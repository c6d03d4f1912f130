import path from "node:path";
import { describe, expect, test } from "vitest";
import { isInside, resolveLexically, rootOf, show, type RootList } from "./root-paths.ts";

/** Roots by the real paths, with other configured paths for some. */
function roots(reals: readonly string[], aliases: Readonly<Record<string, string>> = {}, paths = path): RootList {
  const list = reals.map((real) => ({ name: paths.basename(real) || "root", path: real }));
  const named = Object.entries(aliases).map(([alias, real]) => [alias, list.find((one) => one.path === real)] as const);
  return { list, aliases: new Map(named) };
}

const shop = roots(["C:\\data\\Shop"], { "S:\\": "C:\\data\\Shop" }, path.win32);
const share = roots(["\\\\server\\share\\Shop"], {}, path.win32);
const several = roots(["C:\\data\\Shop", "D:\\notes"], {}, path.win32);
const drive = roots(["C:\\"], {}, path.win32);
const unix = roots(["/data/Shop"], { "/link": "/data/Shop" }, path.posix);
const mac = roots(["/private/tmp/Shop"], { "/tmp/Shop": "/private/tmp/Shop" }, path.posix);

const full = (list: RootList, input: string, paths: typeof path) => resolveLexically(list, input, paths).full;

describe("with the rules of Windows, a path", () => {
  test.each([
    [shop, "a.txt", "C:\\data\\Shop\\a.txt"],
    [shop, "src/deep/a.txt", "C:\\data\\Shop\\src\\deep\\a.txt"],
    [shop, "src\\deep\\..\\a.txt", "C:\\data\\Shop\\src\\a.txt"],
    [shop, ".", "C:\\data\\Shop"],
    [shop, "C:\\data\\Shop\\a.txt", "C:\\data\\Shop\\a.txt"],
    [shop, "c:/DATA/shop/A.txt", "C:\\data\\Shop\\A.txt"],
    [shop, "\\\\?\\C:\\data\\Shop\\a.txt", "C:\\data\\Shop\\a.txt"],
    [shop, "//?/C:/data/Shop/a.txt", "C:\\data\\Shop\\a.txt"],
    [shop, "S:\\a.txt", "C:\\data\\Shop\\a.txt"],
    [shop, "..hidden\\a", "C:\\data\\Shop\\..hidden\\a"],
    [shop, "console.txt", "C:\\data\\Shop\\console.txt"],
    [shop, "com10", "C:\\data\\Shop\\com10"],
    [share, "\\\\SERVER\\share\\Shop\\a", "\\\\server\\share\\Shop\\a"],
    [share, "\\\\?\\UNC\\server\\share\\Shop\\a", "\\\\server\\share\\Shop\\a"],
    [several, "shop\\a", "C:\\data\\Shop\\a"],
    [several, "d:\\NOTES\\a", "D:\\notes\\a"],
    [drive, "c:\\a", "C:\\a"],
  ])("%# %s resolves", (list, input, expected) => {
    expect(full(list, input, path.win32)).toBe(expected);
  });

  test.each([
    "..",
    "..\\Shop2\\a",
    "src\\..\\..\\a",
    "C:\\data\\Shop2\\a",
    "C:\\data",
    "D:\\data\\Shop\\a",
    "\\\\server\\share\\a",
    "\\\\.\\PhysicalDrive0",
    "\\\\.\\C:\\data\\Shop\\a",
    "\\??\\C:\\data\\Shop\\a",
    "\\\\?\\Volume{0b2c0000-0000}\\a",
    "//./pipe/docker_engine",
  ])("%s is refused as outside", (input) => {
    expect(() => full(shop, input, path.win32)).toThrow(/outside the root|a path of a device/);
  });

  test.each([
    ["CON", "device"],
    ["src/nul.txt", "device"],
    ["Aux .log", "device"],
    ["com\u00b9", "device"],
    ["lpt9.", "device"],
    ["conout$", "device"],
    ["a.txt:stream", 'without ":"'],
    [".git::$INDEX_ALLOCATION\\config", 'without ":"'],
    ["C:a.txt", 'without ":"'],
    [".git.\\config", "a dot or space at the end"],
    [".git \\config", "a dot or space at the end"],
    ["what?", 'without "?"'],
    ["a\u0001b", "without"],
  ])("%j is refused by its name", (input, reason) => {
    expect(() => full(shop, input, path.win32)).toThrow(reason);
    expect(() => full(several, `Shop\\${input.replace(/^C:/, "x:")}`, path.win32)).toThrow(reason);
  });

  test("is shown with slashes, and by its root if there are several", () => {
    expect(show(shop, "C:\\data\\Shop\\src\\a.txt", path.win32)).toBe("src/a.txt");
    expect(show(shop, "C:\\data\\Shop", path.win32)).toBe(".");
    expect(show(several, "D:\\notes\\a.txt", path.win32)).toBe("notes/a.txt");
    expect(show(share, "\\\\server\\share\\Shop\\a b", path.win32)).toBe("a b");
  });

  test("is inside a directory only by whole components", () => {
    expect(isInside("C:\\data", "C:\\data\\a", path.win32)).toBe(true);
    expect(isInside("C:\\data", "C:\\database", path.win32)).toBe(false);
    expect(isInside("C:\\", "C:\\a", path.win32)).toBe(true);
    expect(rootOf(several, "D:\\notes\\a", path.win32)?.name).toBe("notes");
  });
});

describe("with the rules of Unix, a path", () => {
  test.each([
    [unix, "a.txt", "/data/Shop/a.txt"],
    [unix, "/data/Shop/../Shop/a", "/data/Shop/a"],
    [unix, "/link/a", "/data/Shop/a"],
    [unix, "a\\b", "/data/Shop/a\\b"],
    [unix, "CON", "/data/Shop/CON"],
    [unix, "a:b. ", "/data/Shop/a:b. "],
    [unix, "C:\\a", "/data/Shop/C:\\a"],
    [unix, "..hidden/a", "/data/Shop/..hidden/a"],
    [mac, "/tmp/Shop/a", "/private/tmp/Shop/a"],
    [mac, "/private/tmp/Shop/e\u0301", "/private/tmp/Shop/e\u0301"],
  ])("%# %s resolves", (list, input, expected) => {
    expect(full(list, input, path.posix)).toBe(expected);
  });

  test.each(["..", "../Shop2", "/data/Shop2", "/data", "/DATA/shop/a", "/linked/a"])("%s is refused", (input) => {
    expect(() => full(unix, input, path.posix)).toThrow("outside the root");
  });
});
