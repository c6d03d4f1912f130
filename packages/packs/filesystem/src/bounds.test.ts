import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { openDirectory } from "@toolpacks/files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { copyLimits } from "./copy-budget.ts";
import { copyTree } from "./copy-tree.ts";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

let root: string;
let wire: Wire;

beforeEach(async () => {
  root = await folderOf({ "a.txt": "text\n" });
  wire = await onWire({ roots: [root], write: true });
});

afterEach(async () => {
  await wire.close();
  await rm(root, { recursive: true });
});

describe("fs_list with a glob", () => {
  const deep = Array.from({ length: 70 }, () => "d").join("/");
  beforeEach(() => {
    mkdirSync(path.join(root, deep), { recursive: true });
    writeFileSync(path.join(root, deep, "deep.md"), "");
  });

  test("says that there are folders below the depth that it searched", async () => {
    const answer = await wire.ask("fs_list", { glob: "**/*.md" });
    expect(answer).toContain("Only 64 levels were searched, and there are more. Give a deeper path.");
    expect(await wire.ask("fs_list", { glob: "*.md", depth: 1 })).toContain("Only 1 level was searched");
  });

  test("has no hint if everything was searched", async () => {
    expect(await wire.ask("fs_list", { glob: "**/*.md", path: "d/d/d/d/d/d/d/d/d/d" })).toBe(`${deep}/deep.md 0`);
    expect(await wire.ask("fs_list", { depth: 1 })).toBe("a.txt 5\nd/");
  });
});

describe("fs_copy of a file with holes", () => {
  const size = 32 * 1024 * 1024 + 7;

  test.each(["in a folder", "by its name"])("keeps the holes, %s", async (how) => {
    mkdirSync(path.join(root, "from"));
    const file = path.join(root, "from/holes");
    const content = Buffer.concat([Buffer.alloc(5000), Buffer.from("data"), Buffer.alloc(100)]);
    writeFileSync(file, content);
    truncateSync(file, size);
    const [from, to] = how === "in a folder" ? ["from", "to"] : ["from/holes", "copy"];
    expect(await wire.ask("fs_copy", { from, to })).toBe(
      `copied ${from} to ${to}, ${how === "in a folder" ? "1 file, " : ""}${size} bytes`,
    );
    const copy = path.join(root, how === "in a folder" ? "to/holes" : "copy");
    const stats = statSync(copy);
    expect(stats.size).toBe(size);
    expect(stats.blocks * 512).toBeLessThan(1024 * 1024);
    expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);
  });

  test("is rejected if the holes are too large to read", async () => {
    truncateSync(path.join(root, "a.txt"), 65 * 1024 ** 3);
    expect(await wire.ask("fs_copy", { from: "a.txt", to: "copy" })).toBe(
      "too_large: a.txt: expected at most 64 GiB of holes in what is copied\nNothing was copied. Copy its parts one by one.",
    );
    expect(await wire.ask("fs_list", {})).not.toContain("copy");
  });
});

describe("one call of fs_copy", () => {
  test("copies at most 20,000 entries, and writes nothing where there are more", async () => {
    mkdirSync(path.join(root, "many"));
    for (let at = 0; at < 20_000; at += 1) closeSync(openSync(path.join(root, "many", `f${at}`), "w"));
    expect(await wire.ask("fs_copy", { from: "many", to: "copy" })).toMatch(
      /^too_large: f\d+: expected at most 20000 entries in what is copied\nNothing was copied\. /,
    );
    expect(readdirSync(root).toSorted()).toEqual(["a.txt", "many"]);
  }, 60_000);

  test("copies at most the limit of bytes", async () => {
    const directory = await openDirectory(root, () => true);
    if (directory === undefined) throw new Error("the folder is gone");
    mkdirSync(path.join(root, "from"));
    for (const name of ["one", "two"]) writeFileSync(path.join(root, "from", name), "x".repeat(100_000));
    const copy = (maxBytes: number) =>
      copyTree(
        { directory, name: "from" },
        { directory, name: "to" },
        { signal: new AbortController().signal, onEntry: () => {}, limits: { ...copyLimits, maxBytes } },
      );
    await expect(copy(199_999)).rejects.toMatchObject({ code: "too_large" });
    expect(readdirSync(root)).not.toContain("to");
    await copy(200_000);
    expect(readdirSync(path.join(root, "to"))).toEqual(["one", "two"]);
    await directory.close();
  });
});
