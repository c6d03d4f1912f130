import { execFile } from "node:child_process";
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { configSchema } from "../../apps/server/src/config/config-schema.ts";
import { packOptions } from "../../apps/server/src/mount/pack-options.ts";
import { program } from "../../apps/server/src/command-line/commands.ts";
import { programCommand } from "../../packages/command-line/src/show-help.ts";
import { processIo } from "../../packages/terminal/src/io.ts";
import { pageBlocks, root, type CodeBlock } from "../readme/code-blocks.ts";
import { installWith } from "../readme/installation.ts";
import { crawlSite, findChromium } from "./browser-crawl.ts";
import { brokenLinks } from "./site-links.ts";

const run = promisify(execFile);
const docs = path.join(root, "docs");
const chromium = findChromium();
let site = "";

beforeAll(async () => {
  site = mkdtempSync(path.join(tmpdir(), "toolpacks-site-"));
  await run(process.execPath, ["--conditions=@toolpacks/source", "scripts/site/generate.ts"], { cwd: root });
  const vitepress = path.join(docs, "node_modules/vitepress/bin/vitepress.js");
  await run(process.execPath, [vitepress, "build", "docs"], {
    cwd: root,
    env: { ...process.env, DOCS_OUT: site, NODE_ENV: "production" },
  });
}, 180_000);
afterAll(() => rmSync(site, { recursive: true }));

test("each link of the built site leads to a page, a file or a heading", () => {
  expect(globSync("**/*.html", { cwd: site }).length).toBeGreaterThan(18);
  expect(brokenLinks(site)).toEqual([]);
});

test("the link check names a missing page, picture and heading", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-links-"));
  const links =
    '<h1 id="here"></h1><a href="#here"></a><a href="#gone"></a><a href="gone.html"></a><img src="/toolpacks/gone.svg">';
  writeFileSync(path.join(folder, "index.html"), links);
  const found = brokenLinks(folder);
  rmSync(folder, { recursive: true });
  expect(found).toEqual(["index.html: #gone", "index.html: gone.html", "index.html: /toolpacks/gone.svg"]);
});

test.skipIf(chromium === undefined)("Chromium shows each page with its pictures and finds no dead link", async () => {
  const { pages, problems } = await crawlSite(site, chromium!);
  expect(problems).toEqual([]);
  const built = globSync("**/*.html", { cwd: site, exclude: ["404.html"] }).map((file) => `/toolpacks/${file}`);
  expect(pages.map((page) => page.replace(/\/$/, "/index.html")).toSorted()).toEqual([...new Set(built)].toSorted());
});

test("the references have every command, config field and tool", () => {
  const page = (name: string) => readFileSync(path.join(docs, "reference", `${name}.md`), "utf8");
  // The defaults, variables and examples that the program prints.
  for (const part of ["default: discovery", "[$TOOLPACKS_SURFACE]", "\nExamples:\n  toolpacks init"])
    expect(page("cli")).toContain(part);
  expect(
    page("cli")
      .split("\n")
      .filter((line) => line.length > 80),
  ).toEqual([]);
  const whole = programCommand(processIo(), program);
  const commands = whole.createHelp().visibleCommands(whole);
  expect(commands.length).toBeGreaterThan(20);
  for (const command of commands) expect(page("cli")).toContain(`\n## toolpacks ${command.name()}\n`);
  for (const field of Object.keys(configSchema.shape)) expect(page("config")).toContain(`| \`${field}\`<br>`);
  expect(page("config")).toContain("`--root`, `$TOOLPACKS_ROOTS`");
  const sections = page("config").split(/^## /m);
  for (const [pack, { shape }] of Object.entries(packOptions)) {
    const section = sections.find((one) => one.startsWith(`packs.${pack}\n`));
    expect(section).toBeDefined();
    for (const option of Object.keys(shape)) expect(section).toContain(`| \`${option}\`<br>`);
  }
  const folders =
    "packages/{surface/snapshots/core,relay/snapshots,workflows/snapshots,packs/*/snapshots,packs/*/snapshots/store}";
  const tools = globSync(`${folders}/*.json`, { cwd: root }).map((file) => path.basename(file, ".json"));
  expect(tools.length).toBeGreaterThan(50);
  for (const tool of tools) expect(page("tools")).toContain(`\n### ${tool}\n`);
});

test("llms.txt and the sidebar have every page", () => {
  const index = readFileSync(path.join(site, "llms.txt"), "utf8");
  const pages = globSync("**/*.html", { cwd: site }).map((file) => file.replaceAll(path.sep, "/"));
  for (const page of pages.filter((name) => !/^(index|404)\.html$/.test(name)))
    expect(index).toContain(`https://toolpacks.github.io/toolpacks/${page})`);
});

const tutorials = [...Map.groupBy(pageBlocks(), ({ file }) => file)].filter(([, ofPage]) => ofPage.some(isCommand));

/** What the last commands of a tutorial print, by page. */
const expected: Readonly<Record<string, RegExp>> = {
  "docs/tutorials/pack.md": /note_list[^]*Add a note[^]*"id":/,
  "docs/tutorials/records-pack.md": /"count":1[^]*"count":2[^]*https:\/\/example\.com\/ count=2/,
  "docs/tutorials/nightly-workflow.md": /page: [^]*nightly_todos ok, report[^]*page: ok/,
  "docs/tutorials/issues.md": /Paint it @bob[^]*in_progress .*ann .*Design the form\n.*in_progress .*bob .*Paint it/,
  "docs/tutorials/small-team.md": /anna[^]*shop[^]*ben[^]*read-only/,
  "docs/tutorials/replicas.md": /\S{20}/,
};

test.skipIf(process.platform === "win32")("the commands of each tutorial work", async () => {
  const scripts = tutorials.map(([page, ofPage]) => {
    const folder = installWith("zod");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(path.join(folder, ".git"));
    writeFileSync(path.join(folder, "garden.js"), "// TODO: water the plants\n");
    for (const { info, text } of ofPage) {
      const name = /^\[(.+)\]$/.exec(info)?.[1];
      if (name !== undefined) writeFileSync(path.join(folder, name), text);
    }
    const variables = Object.entries(environment(folder)).map(([name, value]) => `export ${name}='${value}'`);
    const commands = ofPage.filter(isCommand).map(({ text }) => text);
    return [`echo '--- ${page}'`, "(", `cd '${folder}'`, ...variables, ...commands, ")"].join("\n");
  });
  const { TOOLPACKS_STORE: _store, ...env } = process.env;
  const { stdout } = await run("sh", ["-e", "-c", scripts.join("\n")], { env });
  for (const part of stdout.split("--- ").slice(1)) {
    const [page = ""] = part.split("\n");
    expect(part).toMatch(expected[page]!);
  }
  expect(stdout.match(/^--- docs/gm)).toHaveLength(tutorials.length);
});

test("each tutorial with commands has its expected output", () => {
  expect(tutorials.map(([page]) => page).toSorted()).toEqual(Object.keys(expected).toSorted());
});

function isCommand({ language, info }: CodeBlock): boolean {
  return language === "sh" && info === "run";
}

/** The variables of a user with the built command in `$PATH` and with folders of its own. */
function environment(folder: string): Readonly<Record<string, string>> {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  const command = path.join(bin, "toolpacks");
  const cli = path.join(root, "apps/server/dist/cli.js");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(command, 0o755);
  const home = mkdtempSync(path.join(tmpdir(), "toolpacks-tutorial-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return {
    PATH: `${bin}${path.delimiter}${process.env["PATH"]}`,
    HOME: home,
    XDG_DATA_HOME: home,
    XDG_CONFIG_HOME: home,
  };
}
