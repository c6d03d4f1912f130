import { rm, writeFile, utimes } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

let root: string;
let wire: Wire;

beforeAll(async () => {
  root = await folderOf({
    ".gitignore": "dist/\n",
    "packages/a/package.json": "{}",
    "packages/a/src/one.ts": "1\n",
    "packages/a/src/deep/two.ts": "1\n2\n",
    "packages/a/dist/one.ts": "1\n",
    "packages/b/src/three.ts": `${"x\n".repeat(10)}x`,
    "packages/b/src/three.test.ts": "x".repeat(2_000),
    "packages/top.ts": "1\n",
    "apps/main.ts": "1\n",
    Makefile: "all:\n",
    "start.ts": "1\n",
  });
  await utimes(path.join(root, "apps/main.ts"), 4_000_000_000, 4_000_000_000);
  wire = await onWire({ roots: [root] });
});

afterAll(async () => {
  await wire.close();
  await rm(root, { recursive: true });
});

describe("fs_list with countBy", () => {
  test("counts the files of each folder in one call, most first", async () => {
    expect(await wire.ask("fs_list", { glob: "**/*.ts", countBy: "folder" })).toBe(
      "7 files in all\npackages/ 5 files 2.0k\n* 1 file 2\napps/ 1 file 2",
    );
    expect(await wire.ask("fs_list", { path: "packages", glob: "*.ts", exclude: "*.test.ts", countBy: "folder" })).toBe(
      "4 files in all\npackages/a/ 2 files 6\npackages/* 1 file 2\npackages/b/ 1 file 21",
    );
  });

  test("counts to as many levels of folders as depth says", async () => {
    expect(await wire.value("fs_list", { path: "packages", countBy: "folder", depth: 2 })).toEqual({
      items: [
        { path: "packages/a/src", type: "directory", files: 2, size: 6 },
        { path: "packages/b/src", type: "directory", files: 2, size: 2_021 },
        { path: "packages/*", type: "files", files: 1, size: 2 },
        { path: "packages/a/*", type: "files", files: 1, size: 2 },
      ],
      total: 4,
      files: 6,
    });
  });

  test("counts the files of each extension, and with sort their bytes or lines", async () => {
    expect(await wire.ask("fs_list", { countBy: "extension" })).toBe(
      "10 files in all\n*.ts 7 files 2.0k\nno extension 2 files 11\n*.json 1 file 2",
    );
    expect(await wire.ask("fs_list", { path: "packages", countBy: "folder", sort: "lines" })).toBe(
      "6 files in all\npackages/b/ 2 files 2.0k 12 lines\npackages/a/ 3 files 8 4 lines\npackages/* 1 file 2 1 line",
    );
    const { items } = await wire.value("fs_list", { countBy: "folder", sort: "modified", limit: 1 });
    expect(items).toEqual([
      { path: "apps", type: "directory", files: 1, size: 2, modified: new Date(4e12).toISOString() },
    ]);
  });

  test("shows 50 counts without a limit, and says how to see more", async () => {
    const many = await folderOf(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${100 + at}/a`, ""])));
    const own = await onWire({ roots: [many] });
    const lines = (await own.ask("fs_list", { countBy: "folder" })).split("\n");
    expect(lines.slice(50)).toEqual(["f149/ 1 file 0", "(50 of 60)", "Give limit to see more at once."]);
    await own.close();
    await rm(many, { recursive: true });
  });

  test("shows an extension that fakes a line as a JSON string", async () => {
    const name = "a.x\n(2 of 900)";
    await writeFile(path.join(root, "apps", name), "");
    expect(await wire.ask("fs_list", { path: "apps", countBy: "extension" })).toContain(
      String.raw`"*.x\n(2 of 900)" 1 file 0`,
    );
    await rm(path.join(root, "apps", name));
  });

  test("finds nothing, and has one page", async () => {
    expect(await wire.ask("fs_list", { glob: "*.py", countBy: "folder" })).toBe("none");
    expect(await wire.ask("fs_list", { countBy: "folder", cursor: "a" })).toBe(
      "invalid_input: cursor: counts have one page, give a larger limit",
    );
  });
});

describe("fs_list of a few of many files", () => {
  test("answers the number alone with limit 0, and a single file without a cursor", async () => {
    expect(await wire.ask("fs_list", { glob: "**/*.ts", limit: 0 })).toBe("(0 of 7)");
    expect(await wire.ask("fs_list", { glob: "**/*.ts", limit: 1 })).toBe("apps/main.ts 2\n(1 of 7)");
    expect(await wire.value("fs_list", { glob: "**/*.ts", limit: 1 })).toHaveProperty("cursor");
  });

  test("has a cursor that is as short as the last path", async () => {
    expect(await wire.ask("fs_list", { path: "packages", glob: "**/*.ts", limit: 2 })).toBe(
      'packages/a/src/deep/two.ts 4\npackages/a/src/one.ts 2\n(2 of 5)\nnext: cursor "a/src/one.ts"',
    );
    expect(
      await wire.ask("fs_list", { path: "packages", glob: "**/*.ts", limit: 2, cursor: "a/src/one.ts" }),
    ).toContain("packages/b/src/three.test.ts");
  });

  test("escapes the cursor of a name that fakes text", async () => {
    const own = await folderOf({ 'a"\n\u202Eb %': "", 'a"\n\u202Ec': "", d: "" });
    const list = await onWire({ roots: [own] });
    const { cursor } = await list.value("fs_list", { limit: 2 });
    expect(cursor).toBe("a%22%0A%E2%80%AEc");
    expect(await list.ask("fs_list", { limit: 2, cursor })).toBe("d 0\n(1 of 3)");
    expect(await list.ask("fs_list", { cursor: "%E2" })).toContain("invalid_input: cursor: expected one from");
    await list.close();
    await rm(own, { recursive: true });
  });
});
