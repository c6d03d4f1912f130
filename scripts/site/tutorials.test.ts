import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { parseJsonc } from "../../packages/settings/src/formats/parse-jsonc.ts";
import { parse as parseYaml } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { run as runCommand } from "../../apps/server/src/run-cli.fixture.ts";
import { configSchema } from "../../apps/server/src/config/config-schema.ts";
import { blockLabel, pageBlocks, root, type CodeBlock } from "../readme/code-blocks.ts";
import { installWith } from "../readme/installation.ts";

const run = promisify(execFile);
const blocks = pageBlocks();
const tutorials = [...Map.groupBy(blocks, ({ file }) => file)].filter(([, ofPage]) => ofPage.some(isCommand));

/** What the last commands of a tutorial print, by page. */
const expected: Readonly<Record<string, RegExp>> = {
  "docs/tutorials/pack.md": /note_list[^]*Add a note[^]*"id":/,
  "docs/tutorials/records-pack.md": /"count":1[^]*"count":2[^]*https:\/\/example\.com\/ count=2/,
  "docs/tutorials/nightly-workflow.md": /page: [^]*nightly_todos ok, report[^]*page: ok/,
  "docs/tutorials/issues.md": /Paint it @bob[^]*in_progress .*ann .*Design the form\n.*in_progress .*bob .*Paint it/,
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

const configs = blocks.filter(({ info }) => info.startsWith("[toolpacks.config."));

test.each(configs.map((block) => [blockLabel(block), block] as const))("the config of %s is valid", (_, block) => {
  const { language, text, file } = block;
  const value: unknown = language === "yaml" ? parseYaml(text) : parseJsonc(file, text);
  expect(configSchema.safeParse(value).error).toBeUndefined();
});

test("each JSON block of the site can be parsed", () => {
  const json = blocks.filter(({ language }) => /^jsonc?$/.test(language));
  expect(json.length).toBeGreaterThan(4);
  for (const block of json) expect(() => parseJsonc(blockLabel(block), block.text)).not.toThrow();
});

const commandLines = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.split("\n").filter((line) => /^(npx -y )?toolpacks /.test(line)));

test.each(commandLines)("the command line %s has a command and flags that exist", async (line) => {
  const words = line.replace(/^(npx -y )?toolpacks /, "").match(/"[^"]*"|\S+/g) ?? [];
  const flags = words.filter((word) => word.startsWith("--"));
  const end = words.findIndex((word) => word.startsWith("-"));
  const { code, stdout } = await runCommand([...words.slice(0, end < 0 ? undefined : end), "--help"]);
  expect(code).toBe(0);
  for (const flag of flags) expect(stdout).toContain(flag);
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
