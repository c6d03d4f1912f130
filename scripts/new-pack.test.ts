import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readChoice } from "../packages/create-toolpack/src/command.ts";
import { createPack } from "../packages/create-toolpack/src/create-pack.ts";
import { parsePackName } from "../packages/create-toolpack/src/pack-name.ts";
import { root } from "./readme/code-blocks.ts";

const templates = path.join(root, "packages/create-toolpack/templates");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "new-pack-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

test.each(["custom-pack", "records-pack"])("examples/%s has only versions that npm resolves", (example) => {
  const file = path.join(root, "examples", example, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(ranges.filter(([, range]) => !/^\^?\d+\.\d+\.\d+$/.test(range))).toEqual([]);
});

describe("create-toolpack", () => {
  test.each([
    ["Words", "invalid name"],
    ["../words", "invalid name"],
    ["http", "npm refuses"],
    ["w".repeat(33), "at most 32 characters"],
    ["--stor", "--stor"],
  ])("refuses %s", async (name, problem) => {
    await expect(readChoice([name])).rejects.toThrow(problem);
  });

  test("asks nothing without a terminal", async () => {
    await expect(readChoice([])).rejects.toThrow("missing name");
  });
});

describe("createPack", () => {
  const name = parsePackName("inner");

  test("makes a pack of this repository with versions of the workspace", () => {
    const created = createPack({ name, hasStore: true, parent: path.join(folder, "packs"), templates });
    expect(JSON.parse(readFileSync(path.join(created, "package.json"), "utf8"))).toMatchObject({
      name: "@toolpacks/inner",
      dependencies: { "@toolpacks/core": "workspace:^" },
      devDependencies: { "@toolpacks/store": "workspace:^", "@toolpacks/store-sqlite": "workspace:^", zod: "catalog:" },
    });
    expect(readFileSync(path.join(created, "tsconfig.build.json"), "utf8")).toContain("../../../tsconfig.build.json");
    expect(readdirSync(path.join(folder, "packs"))).toEqual(["inner"]);
  });

  test("leaves an existing folder as it is, and no other file", () => {
    mkdirSync(path.join(folder, "taken"));
    writeFileSync(path.join(folder, "taken/mine.txt"), "mine");
    const before = readdirSync(folder);
    const taken = { name: parsePackName("taken"), hasStore: false, parent: folder, templates };
    expect(() => createPack(taken)).toThrow("already exists");
    expect(readdirSync(folder)).toEqual(before);
    expect(readdirSync(path.join(folder, "taken"))).toEqual(["mine.txt"]);
  });

  test("creates no folder if a template is missing", () => {
    const parent = path.join(folder, "failed");
    const incomplete = path.join(folder, "templates");
    mkdirSync(path.join(incomplete, "every"), { recursive: true });
    writeFileSync(path.join(incomplete, "every/a.md.template"), "a");
    expect(() => createPack({ name, hasStore: false, parent, templates: incomplete })).toThrow("ENOENT");
    expect(existsSync(parent)).toBe(false);
  });
});
