import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { pageBlocks, root, type CodeBlock } from "../readme/code-blocks.ts";
import { installWith } from "../readme/installation.ts";

const run = promisify(execFile);
const tutorials = [...Map.groupBy(pageBlocks(), ({ file }) => file)].filter(([, ofPage]) => ofPage.some(isCommand));

/** What the last commands of a tutorial print, by page. */
const expected: Readonly<Record<string, RegExp>> = {
  "docs/tutorials/pack.md": /note_list[^]*Add a note[^]*"id":/,
  "docs/tutorials/records-pack.md": /"count":1[^]*"count":2[^]*https:\/\/example\.com\/ count=2/,
  "docs/tutorials/nightly-workflow.md": /page: [^]*nightly_todos ok, report[^]*page: ok/,
  "docs/tutorials/issues.md": /ann[^]*Design the form[^]*bob[^]*Paint it/,
  "docs/tutorials/small-team.md": /anna[^]*shop[^]*ben[^]*read-only/,
  "docs/tutorials/replicas.md": /\S{20}/,
};

test.skipIf(process.platform === "win32").each(tutorials)("the commands of %s work", async (page, ofPage) => {
  const folder = installWith("zod");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = environment(folder);
  await run("git", ["init", "--quiet"], { cwd: folder });
  writeFileSync(path.join(folder, "garden.js"), "// TODO: water the plants\n");
  for (const { info, text } of ofPage) {
    const name = /^\[(.+)\]$/.exec(info)?.[1];
    if (name !== undefined) writeFileSync(path.join(folder, name), text);
  }
  const script = ofPage.filter(isCommand).map(({ text }) => text);
  const { stdout } = await run("sh", ["-e", "-c", script.join("\n")], { cwd: folder, env });
  expect(stdout).toMatch(expected[page]!);
});

test("each tutorial with commands has its expected output", () => {
  expect(tutorials.map(([page]) => page).toSorted()).toEqual(Object.keys(expected).toSorted());
});

function isCommand({ language, info }: CodeBlock): boolean {
  return language === "sh" && info === "run";
}

/** The environment of a user with the built command in `$PATH` and with folders of its own. */
function environment(folder: string): NodeJS.ProcessEnv {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  const command = path.join(bin, "toolpacks");
  const cli = path.join(root, "apps/server/dist/cli.js");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(command, 0o755);
  const { TOOLPACKS_STORE: _store, ...inherited } = process.env;
  const home = mkdtempSync(path.join(tmpdir(), "toolpacks-tutorial-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return {
    ...inherited,
    PATH: `${bin}${path.delimiter}${process.env["PATH"]}`,
    HOME: home,
    XDG_DATA_HOME: home,
    XDG_CONFIG_HOME: home,
  };
}
