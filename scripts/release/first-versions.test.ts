import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "./release-files.ts";

interface Versioned {
  readonly version: string;
  readonly private?: boolean;
}

test("changeset version gives new packages the version 0.1.0, and no package a new major version", () => {
  const copy = mkdtempSync(path.join(tmpdir(), "toolpacks-versions-"));
  const manifests = globSync("{packages,apps,examples}/**/package.json", {
    cwd: root,
    exclude: (name) => name === "node_modules" || name === "dist",
  });
  for (const file of ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", ".changeset", ...manifests]) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(copy, file), { recursive: true });
  }
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  const changeset = path.join(root, "node_modules/@changesets/cli/bin.js");
  execFileSync(process.execPath, [changeset, "version"], { cwd: copy, stdio: "pipe" });
  const read = (folder: string, file: string) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as Versioned;
  const published = manifests.filter((file) => read(root, file).private !== true);
  expect(published.length).toBeGreaterThan(10);
  for (const file of published) {
    const [before, after] = [read(root, file).version, read(copy, file).version];
    expect(after, file).toMatch(before === "0.0.0" ? /^0\.1\.0$/ : new RegExp(`^${before.split(".")[0]}\\.`));
  }
});
