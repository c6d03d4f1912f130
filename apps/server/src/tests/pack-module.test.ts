import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packModule } from "@toolpacks/settings";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { session, tools } from "../trust/trust.fixture.ts";

/** A project with a FIFO in place of a `package.json`. Opening it blocks, since there is no writer. */
function blocking(...place: string[]): string {
  const cwd = folder({ "toolpacks.config.yaml": "packs: { evil: {} }\n", "plain.js": "" });
  mkdirSync(path.join(cwd, "node_modules/evil"), { recursive: true });
  linkSync(process.env["TEST_FIFO"] ?? "", path.join(cwd, ...place, "package.json"));
  return cwd;
}

describe("a package.json that is a FIFO does not block", () => {
  test.each([
    ["a pack's", ["node_modules/evil"]],
    ["the project's", []],
  ])("%s", async (_, place) => {
    const cwd = blocking(...place);
    expect((await run(["trust", "--yes"], { cwd })).code).toBe(0);
    const { code, stderr } = await tools(cwd);
    expect(code).toBe(2);
    expect(stderr).toContain(`packs.evil: ${path.join(cwd, ...place, "package.json")}: not a regular file`);
  });

  test("behind a link, and beside a module that is named by its path", async () => {
    const cwd = blocking();
    symlinkSync(path.join(cwd, "package.json"), path.join(cwd, "node_modules/evil/package.json"));
    writeFileSync(path.join(cwd, "toolpacks.config.yaml"), "packs: { ./plain.js: {} }\n");
    const { code, stderr } = await tools(cwd, "--config", "toolpacks.config.yaml");
    expect([code, stderr]).toEqual([2, expect.stringContaining("package.json: not a regular file")]);
  });

  test("under --watch, where the server goes on answering", async () => {
    const cwd = blocking("node_modules/evil");
    const file = path.join(cwd, "toolpacks.config.yaml");
    writeFileSync(file, "write: true\n");
    await run(["trust", "--yes"], { cwd });
    const { stderr, call, end } = await session(["--root", ".", "--watch"], cwd);
    expect(await call("fs_list")).toContain("plain.js");
    writeFileSync(file, "packs: { evil: {} }\n");
    await expect.poll(stderr, { timeout: 10_000 }).toContain("has changed since it was trusted");
    expect(await call("fs_list")).toContain("plain.js");
    await end();
  });
});

test("a module of a package is found by its name, and a module by its path", async () => {
  const cwd = folder({ "own.mjs": "" });
  mkdirSync(path.join(cwd, "node_modules/@a/b"), { recursive: true });
  writeFileSync(path.join(cwd, "node_modules/@a/b/package.json"), '{"exports":"./main.js"}');
  writeFileSync(path.join(cwd, "node_modules/@a/b/main.js"), "");
  expect(packModule("@a/b", cwd)).toBe(path.join(cwd, "node_modules/@a/b/main.js"));
  expect(packModule("./own.mjs", cwd)).toBe(path.join(cwd, "own.mjs"));
  expect(() => packModule("none", cwd)).toThrow("none");
  expect(() => packModule("#own", cwd)).toThrow("expected a path or the name of an npm package");
});
