import { execFile } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "./readme/code-blocks.ts";
import { installWith } from "./readme/installation.ts";

const run = promisify(execFile);
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

let folder = "";

beforeAll(() => {
  folder = installWith("zod");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(["custom-pack", "records-pack"])("examples/%s, copied out of the repository,", (example) => {
  const source = path.join(root, "examples", example);

  test("has only versions that npm resolves", () => {
    const manifest = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8")) as Manifest;
    const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(ranges.filter(([, range]) => !/^\^?\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });

  test("passes its tests with the built packages", async () => {
    const cwd = path.join(folder, example);
    cpSync(source, cwd, { recursive: true, filter: (file) => path.basename(file) !== "node_modules" });
    const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", CI: "true" };
    const { stdout } = await run(process.execPath, [vitest, "run"], { cwd, env });
    expect(stdout).toMatch(/Tests .* passed/);
  });
});
