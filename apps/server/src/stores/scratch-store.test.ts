import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

test("doctor reports a temporary folder in which no store can be created", async () => {
  const TMPDIR = path.join(folder({ file: "" }), "file");
  const { code, stdout } = await run(["doctor"], { env: { TMPDIR } });
  expect(stdout).toMatch(/^✗ a scratch store in .*file does not work: ENOTDIR/m);
  expect(code).toBe(1);
});

test("doctor removes its scratch store", async () => {
  const TMPDIR = folder();
  const { stdout } = await run(["doctor"], { env: { TMPDIR } });
  expect(stdout).toContain("no problems");
  expect(readdirSync(TMPDIR).filter((name) => name.startsWith("toolpacks"))).toEqual([]);
});
