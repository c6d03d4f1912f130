import { mkdirSync, rmdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

const untrusted = { isTrusted: false } as const;

test("toolpacks trust shows the target of a root that is a link", async () => {
  const outside = folder({ "canary.txt": "canary" });
  const config = { roots: ["docs", "."], packs: { search: { roots: ["docs"] } } };
  const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
  symlinkSync(outside, path.join(cwd, "docs"));
  const { stdout } = await run(["trust", "--yes"], { cwd });
  const linked = `${cwd}/docs (a link to ${outside})`;
  expect(stdout).toContain(`  roots: files may be reached within ${linked}, ${cwd}\n`);
  expect(stdout).toContain(`  packs.search.roots: files may be reached within ${linked}\n`);
});

test.each([
  ["roots", { roots: ["docs"] }],
  ["clientRoots", { clientRoots: ["docs"] }],
  ["a pack's roots", { packs: { filesystem: { roots: ["docs"] } } }],
])("a folder of %s that becomes a link needs trust again, and opens nothing", async (_, config) => {
  const outside = folder({ "canary.txt": "the content" });
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ ...config, write: true }) });
  // A trusted folder may be created later.
  await run(["trust", "--yes"], { cwd });
  mkdirSync(path.join(cwd, "docs"));
  expect((await run(["trust"], { cwd })).stdout).toContain("is trusted already");
  rmdirSync(path.join(cwd, "docs"));
  symlinkSync(outside, path.join(cwd, "docs"));
  const { stderr, stdout } = await run(["call", "fs_read", '{"path":"canary.txt"}'], { cwd, ...untrusted });
  expect(stderr).toContain("has changed since it was trusted");
  expect(stdout).not.toContain("the content");
});
