import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const demo = fileURLToPath(new URL("./demo.ts", import.meta.url));

test("the demo shows the surfaces, a search, a call of each part, and the entry of a client, in plain text when piped", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "demo-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const { FORCE_COLOR: _color, ...environment } = process.env;
  const env = { ...environment, HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [demo], { env, cwd: home });
  // eslint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/\u001B/);
  const tokens = (surface: string) =>
    Number(new RegExp(`^ {2}${surface} +█+ +([\\d,]+) `, "m").exec(stdout)?.[1]?.replaceAll(",", ""));
  expect(tokens("direct")).toBeGreaterThan(20_000);
  expect(tokens("discovery")).toBeLessThan(1_300);
  expect(tokens("two-tool")).toBeLessThan(1_000);
  const [shown = "", setup] = stdout.split("\nTo use it\n");
  expect(shown).toContain("fs_read(path?: string");
  for (const part of ["store", "issues", "memory", "workflow", "relay", "server"])
    expect(shown).toMatch(new RegExp(`^ {2}✓ ${part} +\\S`, "m"));
  const lines = shown.split("\n");
  expect(lines.length).toBeLessThan(45);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(setup).toContain('"mcpServers"');
});
