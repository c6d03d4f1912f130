import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const packages = Array.from({ length: 33 }, (_, at) => ({ name: `@acme/p${at + 10}`, version: `1.${at}.0` }));
const manifest = ({ name, version }: (typeof packages)[number]) =>
  JSON.stringify({ name, private: true, version, dependencies: { zod: "4.0.0" } }, undefined, 2);
const table = packages.map(({ name, version }) => `| ${name} | ${version} |`).join("\n");

let root: string;
let client: Client;
beforeEach(async () => {
  root = folder();
  for (const [at, one] of packages.entries()) {
    mkdirSync(path.join(root, `p${at + 10}`));
    writeFileSync(path.join(root, `p${at + 10}/package.json`), manifest(one));
  }
  client = new Client({ name: "test", version: "1.0.0" });
  const args = ["--root", root, "--write", "--store", path.join(folder(), "store.db"), "--log-level", "silent"];
  await client.connect(serverTransport(args));
  onTestFinished(() => client.close());
});

const search = { globs: ["**/package.json"] };
const pair = String.raw`"name": "(?<name>[^"]+)"[\s\S]*?"version": "(?<version>[^"]+)"`;
const write = { path: "versions.md", overwrite: true };
const eachFile = (name: string, version: string) => ({
  content: `\${steps.found.items.map(f, {"name": ${name}, "version": ${version}})}`,
});

test.each([
  [
    "a pattern over lines, and a template",
    [{ pattern: pair, multiline: true }],
    { content: "${steps.found.items}", template: "| {groups.name} | {groups.version} |" },
  ],
  [
    "a pattern over lines, and an expression with numbers",
    [{ pattern: pair, multiline: true }],
    eachFile("f.lines[0].groups[1]", "f.lines[0].groups[2]"),
  ],
  [
    "alternatives, and an expression that chooses by name",
    [{ pattern: String.raw`^  "name": "(?<name>[^"]+)"|^  "version": "(?<version>[^"]+)"` }],
    eachFile(
      "f.lines.filter(l, has(l.groups.name))[0].groups.name",
      "f.lines.filter(l, has(l.groups.version))[0].groups.version",
    ),
  ],
  [
    "two patterns, joined by their path",
    [{ pattern: '^  "name": "([^"]+)"' }, { pattern: '^  "version": "([^"]+)"' }],
    eachFile("f.lines[0].groups[1]", "steps.found2.items.filter(g, g.path == f.path)[0].lines[0].groups[1]"),
  ],
])("one call writes the names and versions of 33 files: %s", async (_, patterns, content) => {
  const steps = [
    ...patterns.map((pattern, at) => ({
      id: at === 0 ? "found" : "found2",
      tool: "search_text",
      params: { ...search, ...pattern },
    })),
    { tool: "fs_write", params: { ...write, ...content } },
  ];
  const answer = await client.callTool({ name: "workflow_eval", arguments: { steps } });
  expect(answer.isError, JSON.stringify(answer.content)).not.toBe(true);
  expect(readFileSync(path.join(root, "versions.md"), "utf8")).toContain(`${table}\n`);
});

test("one batch answers the names and versions of 33 files", async () => {
  const calls = [
    { name: "search_text", args: { ...search, pattern: pair, multiline: true } },
    { name: "fs_write", args: { ...write, content: "${steps.s1.items}", template: "{groups.name} {groups.version}" } },
    { name: "fs_read", args: { path: "versions.md" } },
  ];
  const { content } = await client.callTool({ name: "tool_invoke", arguments: { calls } });
  const list = packages.map(({ name, version }) => `${name} ${version}`).join("\\n");
  expect(JSON.stringify(content)).toContain(list);
});

test("the description of search_text says where groups are", async () => {
  const { content } = await client.callTool({ name: "tool_describe", arguments: { name: "search_text" } });
  expect(JSON.stringify(content)).toContain("regex; its groups: lines[].groups.name or [1]");
});
