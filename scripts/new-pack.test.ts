import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPack } from "../packages/create-toolpack/src/create-pack.ts";
import { parsePackName } from "../packages/create-toolpack/src/pack-name.ts";
import { root } from "./readme/code-blocks.ts";
import { installWith } from "./readme/installation.ts";

const run = promisify(execFile);
const command = path.join(root, "packages/create-toolpack/dist/main.js");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const tsc = path.join(root, "node_modules/.bin/tsc");

/** Has the built packages in its node_modules, as npm installs them. */
let folder = "";

beforeAll(() => {
  folder = installWith("zod");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `npm create toolpack` in the folder. */
const create = (...args: readonly string[]) =>
  run(process.execPath, [command, ...args], { cwd: folder }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, text: error.stderr }),
  );

const environment = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", CI: "true" };

/** Mounts a module by the config file of the built server, and calls one of its tools. */
async function callMounted(module: string, tool: { readonly name: string; readonly args: object }): Promise<string> {
  const config = path.join(folder, "toolpacks.json");
  writeFileSync(config, JSON.stringify({ packs: { [module]: {} } }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      path.join(root, "apps/server/dist/cli.js"),
      "--config",
      config,
      "--store",
      path.join(folder, "store.db"),
      "--surface",
      "direct",
    ],
    cwd: folder,
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  try {
    return JSON.stringify(await client.callTool({ name: tool.name, arguments: { ...tool.args } }));
  } finally {
    await client.close();
  }
}

describe.each([
  {
    name: "word-count",
    flags: [],
    calls: [{ name: "word_count_count", args: { text: "a b c" } }],
    answer: '"words":3',
  },
  {
    name: "diary",
    flags: ["--store"],
    calls: [
      { name: "diary_add", args: { text: "It rained." } },
      { name: "diary_list", args: {} },
    ],
    answer: '"text":"It rained."',
  },
])("the created pack $name", ({ name, flags, calls, answer }) => {
  beforeAll(async () => {
    expect(await create(name, ...flags)).toMatchObject({ code: 0 });
  });

  test("names versions that npm resolves", () => {
    const manifest = readFileSync(path.join(folder, name, "package.json"), "utf8");
    expect(manifest).not.toMatch(/catalog:|workspace:|\{\{/);
    expect(manifest.includes("@toolpacks/store-sqlite")).toBe(flags.length > 0);
    expect(existsSync(path.join(folder, name, ".gitignore"))).toBe(true);
    expect(existsSync(path.join(folder, name, ".github/workflows/ci.yml"))).toBe(true);
  });

  test("passes its tests, its type check and its build, and works on the built server", async () => {
    const cwd = path.join(folder, name);
    const { stdout } = await run(process.execPath, [vitest, "run"], { cwd, env: environment });
    expect(stdout).toMatch(/Tests .* passed/);
    await run(tsc, [], { cwd });
    await run(tsc, ["-p", "tsconfig.build.json"], { cwd });
    const answers = [];
    for (const call of calls) answers.push(await callMounted(`./${name}/dist/index.js`, call));
    expect(answers.at(-1)?.replaceAll('\\"', '"')).toContain(answer);
  });
});

describe("create-toolpack", () => {
  test.each([
    ["Words", "invalid name"],
    ["../words", "invalid name"],
    ["http", "npm refuses"],
    ["w".repeat(33), "at most 32 characters"],
    ["--stor", "--stor"],
  ])("refuses %s", async (name, problem) => {
    const before = readdirSync(folder);
    expect(await create(name)).toMatchObject({ code: 2, text: expect.stringContaining(problem) as string });
    expect(readdirSync(folder)).toEqual(before);
  });

  test("asks nothing without a terminal", async () => {
    expect(await create()).toMatchObject({ code: 2, text: expect.stringContaining("missing name") as string });
  });

  test("leaves an existing folder as it is, and no other file", async () => {
    mkdirSync(path.join(folder, "taken"));
    writeFileSync(path.join(folder, "taken/mine.txt"), "mine");
    const before = readdirSync(folder);
    expect(await create("taken")).toMatchObject({ code: 2, text: expect.stringContaining("already exists") as string });
    expect(readdirSync(folder)).toEqual(before);
    expect(readdirSync(path.join(folder, "taken"))).toEqual(["mine.txt"]);
  });
});

test.each(["core", "planner", "@me/words"])("new-pack refuses %s in the repository", async (name) => {
  const script = path.join(root, "scripts/new-pack.ts");
  const failure = await run(process.execPath, [script, name]).catch((error: { stderr: string }) => error);
  expect(failure.stderr).toMatch(/^new-pack: .*(already exists|unexpected scope)/);
});

describe("createPack", () => {
  const name = parsePackName("inner");

  test("makes a pack of this repository with versions of the workspace", () => {
    const templates = path.join(root, "packages/create-toolpack/templates");
    const created = createPack({ name, hasStore: true, parent: path.join(folder, "packs"), templates });
    expect(JSON.parse(readFileSync(path.join(created, "package.json"), "utf8"))).toMatchObject({
      name: "@toolpacks/inner",
      dependencies: { "@toolpacks/core": "workspace:^" },
      devDependencies: { "@toolpacks/store": "workspace:^", "@toolpacks/store-sqlite": "workspace:^", zod: "catalog:" },
    });
    expect(readFileSync(path.join(created, "tsconfig.build.json"), "utf8")).toContain("../../../tsconfig.build.json");
    expect(readdirSync(path.join(folder, "packs"))).toEqual(["inner"]);
  });

  test("leaves no temporary folder if it fails", () => {
    const parent = path.join(folder, "failed");
    const templates = path.join(folder, "templates");
    mkdirSync(path.join(templates, "every"), { recursive: true });
    writeFileSync(path.join(templates, "every/a.md.template"), "a");
    expect(() => createPack({ name, hasStore: false, parent, templates })).toThrow("ENOENT");
    expect(readdirSync(parent)).toEqual([]);
  });
});
