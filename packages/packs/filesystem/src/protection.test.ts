import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { describeFolder } from "@toolpacks/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { filesystem } from "./filesystem.ts";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

let root: string;
let wire: Wire;
const at = (...parts: string[]) => path.join(root, ...parts);

const files = {
  ".git/config": "[core]\n",
  ".git/hooks/pre-commit.sample": "",
  "submodule/.git": "gitdir: ../.git/modules/submodule\n",
  ".vscode/tasks.json": "{}",
  ".mcp.json": "{}",
  "toolpacks.config.json": "{}",
  "deep/toolpacks.config.yaml": "",
  "prepared/config": "[core]\n\tfsmonitor = touch canary\n",
  "prepared/hooks/post-checkout": "#!/bin/sh\ntouch canary\n",
  "prepared/tasks.json": "{}",
  "plain.txt": "text\n",
};

beforeEach(async () => {
  root = await folderOf(files);
  wire = await onWire({ roots: [root], write: true });
});

afterEach(async () => {
  await wire.close();
  await rm(root, { recursive: true });
});

const content = "hostile";
const edits = [{ append: "hostile" }];

/** Calls of every writing tool. Each would change code that other programs run. */
const attempts: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["fs_write", { path: ".git/config", content, overwrite: true }],
  ["fs_write", { path: ".git/hooks/post-checkout", content }],
  ["fs_write", { path: ".git/new/deep/file", content, parents: true }],
  ["fs_write", { path: "new/.git/hooks/post-checkout", content, parents: true }],
  ["fs_write", { path: "sub/../.git/config", content, overwrite: true }],
  ["fs_write", { path: ".GIT/config", content, parents: true }],
  ["fs_write", { path: ".g\u200cit/config", content, parents: true }],
  ["fs_write", { path: "submodule/.git", content, overwrite: true }],
  ["fs_write", { path: "deep/.git", content }],
  ["fs_write", { path: "link/config", content, overwrite: true }],
  ["fs_write", { path: "link-to-config", content, overwrite: true }],
  ["fs_write", { path: "linked/.git/config", content, overwrite: true }],
  ["fs_write", { path: "toolpacks.config.json", content, overwrite: true }],
  ["fs_write", { path: "deep/toolpacks.config.yml", content }],
  ["fs_write", { path: "Toolpacks.Config.TOML", content }],
  ["fs_write", { path: ".mcp.json", content, overwrite: true }],
  ["fs_write", { path: ".cursor/mcp.json", content, parents: true }],
  ["fs_write", { path: ".vscode/mcp.json", content }],
  ["fs_write", { path: ".envrc", content }],
  ["fs_edit", { path: ".git/config", edits }],
  ["fs_edit", { path: ".vscode/tasks.json", edits }],
  ["fs_edit", { path: "deep/toolpacks.config.yaml", edits }],
  ["fs_move", { from: ".git", to: "other" }],
  ["fs_move", { from: ".git/config", to: "config" }],
  ["fs_move", { from: ".vscode", to: "other" }],
  ["fs_move", { from: "prepared", to: ".git", overwrite: true }],
  ["fs_move", { from: "prepared", to: "deep/.git" }],
  ["fs_move", { from: "prepared", to: "deep/.vscode" }],
  ["fs_move", { from: "prepared", to: "deep/.Cursor" }],
  ["fs_move", { from: "prepared/config", to: ".git/config", overwrite: true }],
  ["fs_move", { from: "plain.txt", to: ".envrc" }],
  ["fs_copy", { from: "prepared", to: "deep/.git" }],
  ["fs_copy", { from: "prepared/hooks", to: ".git/hooks", overwrite: true }],
  ["fs_copy", { from: "prepared", to: ".vscode", overwrite: true }],
  ["fs_copy", { from: "plain.txt", to: ".mcp.json", overwrite: true }],
  ["fs_delete", { path: ".git", permanent: true }],
  ["fs_delete", { path: ".git/config" }],
  ["fs_delete", { path: ".vscode" }],
  ["fs_delete", { path: "toolpacks.config.json" }],
  ["fs_mkdir", { path: ".git/hooks/made" }],
  ["fs_mkdir", { path: "deep/.git" }],
];

test.each(attempts)("%s %j is denied, names the rule and the option, and changes nothing", async (tool, args) => {
  symlinkSync(".git", at("link"));
  symlinkSync(".git/config", at("link-to-config"));
  mkdirSync(at("linked"));
  mkdirSync(at("elsewhere"));
  writeFileSync(at("elsewhere/config"), "");
  symlinkSync("../elsewhere", at("linked/.git"));
  const before = await describeFolder(root);
  const answer = await wire.ask(tool, args);
  expect(answer).toMatch(/^denied: .*protected/);
  expect(answer).toContain('the pack\'s option "protect"');
  expect(await describeFolder(root)).toEqual(before);
});

test.each([
  ".cursor/hooks.json",
  ".vscode/settings.json",
  ".vscode/launch.json",
  ".vs/mcp.json",
  ".zed/settings.json",
  "project.code-workspace",
  ".devcontainer/devcontainer.json",
  ".claude/skills/a/SKILL.md",
  ".npmrc",
  ".yarnrc.yml",
  "pnpm-workspace.yaml",
  ".pnpmfile.cjs",
  ".husky/pre-commit",
  ".husky/_/pre-commit",
  "node_modules/.bin/toolpacks",
  "apps/web/node_modules/.bin/toolpacks",
  "NODE_MODULES/.BIN/toolpacks",
])("%s cannot be created, neither by writing nor by copying an executable", async (name) => {
  await wire.ask("fs_mkdir", { path: path.dirname(name) });
  for (const tool of ["fs_write", "fs_copy", "fs_move"]) {
    const args = tool === "fs_write" ? { path: name, content, parents: true } : { from: "plain.txt", to: name };
    expect(await wire.ask(tool, args), tool).toMatch(/^(?:denied: .*protected|not_found: )/);
  }
  expect(existsSync(at(name))).toBe(false);
  expect(existsSync(at("plain.txt"))).toBe(true);
});

describe("a protected name that is a link", () => {
  test.each([
    { name: ".npmrc", leadsTo: "conf/npmrc", target: "conf/npmrc" },
    { name: ".envrc", leadsTo: "conf/missing", target: "conf/missing" },
    { name: ".husky", leadsTo: "conf/hooks", target: "conf/hooks/pre-commit" },
    { name: ".claude/skills", leadsTo: "conf/skills", target: "conf/skills/run.sh" },
    { name: ".zed", leadsTo: "conf", target: "conf/tasks.json" },
  ])("protects what it leads to: $name to $leadsTo", async ({ name, leadsTo, target }) => {
    for (const one of ["conf/hooks", "conf/skills", ".claude"]) mkdirSync(at(one), { recursive: true });
    writeFileSync(at("conf/npmrc"), "");
    symlinkSync(at(leadsTo), at(name));
    const before = await describeFolder(root);
    expect(await wire.ask("fs_write", { path: target, content, overwrite: true })).toMatch(/^denied: .*protected/);
    expect(await describeFolder(root)).toEqual(before);
    expect(await wire.ask("fs_write", { path: "conf/other.txt", content })).toMatch(/created/);
  });
});

describe("protected paths", () => {
  test("are read, listed and copied from", async () => {
    expect(await wire.ask("fs_read", { path: ".git/config" })).toContain("[core]");
    expect(await wire.ask("fs_stat", { path: ".mcp.json" })).toContain("type: file");
    expect(await wire.ask("fs_list", { path: ".vscode" })).toContain("tasks.json");
    expect(await wire.ask("fs_copy", { from: ".vscode/tasks.json", to: "tasks.json" })).toContain("copied");
  });

  test("leave neighbouring and similar names writable", async () => {
    for (const name of [".gitignore", ".github/a.yml", "git/config", ".vscode/new.json", "x.git.txt", "mcp.json"]) {
      expect(await wire.ask("fs_write", { path: name, content: "a", parents: true }), name).toMatch(/^created/);
    }
    expect(await wire.ask("fs_write", { path: "node_modules/a/bin/a.js", content, parents: true })).toMatch(/^created/);
    expect(await wire.ask("fs_mkdir", { path: "deep/.cursor" })).toBe("made deep/.cursor");
    expect(await wire.ask("fs_move", { from: "deep", to: "moved" })).toMatch(
      /^moved deep to moved, \d+ files?, \d+ bytes$/,
    );
  });

  test("stay unchanged when a hard link to one is written", async () => {
    linkSync(at(".git/config"), at("hard"));
    expect(await wire.ask("fs_edit", { path: "hard", edits })).toMatch(/^edited/);
    expect(await wire.ask("fs_write", { path: "hard", content, overwrite: true })).toMatch(/^replaced/);
    expect(readFileSync(at(".git/config"), "utf8")).toBe("[core]\n");
  });

  test("keep git from running code that a model wrote", async () => {
    const config = "[core]\n\tfsmonitor = touch canary; false\n";
    for (const name of [".git/config", ".git/hooks/pre-commit"]) {
      await wire.ask("fs_write", { path: name, content: config, overwrite: true });
      await wire.ask("fs_edit", { path: name, edits: [{ append: config }] });
    }
    expect(readFileSync(at(".git/config"), "utf8")).toBe("[core]\n");
    expect(existsSync(at(".git/hooks/pre-commit"))).toBe(false);
  });
});

describe("the option", () => {
  test("protect: false opens every name", async () => {
    const open = await onWire({ roots: [root], write: true, protect: false });
    expect(await open.ask("fs_edit", { path: ".git/config", edits })).toMatch(/^edited/);
    await open.close();
  });

  test("protect with a list protects those names instead", async () => {
    const other = await onWire({ roots: [root], write: true, protect: [".git", "secrets/keys"] });
    expect(await other.ask("fs_edit", { path: ".mcp.json", edits })).toMatch(/^edited/);
    expect(await other.ask("fs_edit", { path: ".git/config", edits })).toMatch(/^denied/);
    expect(await other.ask("fs_write", { path: "a/Secrets/keys/b", content, parents: true })).toMatch(/^denied/);
    await other.close();
  });

  test.each(["../x", "", "/.git", "a//b"])("protect refuses the name %j", (name) => {
    expect(() => filesystem({ roots: [root], protect: [name] })).toThrow("protect");
  });

  test("protectedPaths holds with protect: false, for existing and missing files and for folders above", async () => {
    const settings = at("home/settings");
    const protectedPaths = [at("plain.txt"), settings];
    const own = await onWire({ roots: [root], write: true, protect: false, protectedPaths });
    symlinkSync("plain.txt", at("alias"));
    for (const [tool, args] of [
      ["fs_edit", { path: "plain.txt", edits }],
      ["fs_edit", { path: "alias", edits }],
      ["fs_write", { path: "home/settings/trust.json", content, parents: true }],
      ["fs_mkdir", { path: "home/settings" }],
      ["fs_move", { from: "prepared", to: "home" }],
      ["fs_copy", { from: "prepared", to: "home" }],
    ] as const) {
      const answer = await own.ask(tool, args);
      expect(answer, tool).toMatch(/^denied: .*protected: /);
      expect(answer).toContain("outside of this server only");
    }
    mkdirSync(settings, { recursive: true });
    expect(await own.ask("fs_delete", { path: "home" })).toMatch(/^denied: home: protected: the server's settings/);
    expect(await own.ask("fs_write", { path: "home/other.txt", content })).toMatch(/^created/);
    await own.close();
  });

  test("protectedPaths holds for links to a protected file, which are not replaced", async () => {
    symlinkSync("plain.txt", at("alias"));
    symlinkSync("prepared", at("folder"));
    const protectedPaths = [at("alias"), at("folder/config")];
    const own = await onWire({ roots: [root], write: true, protectedPaths });
    for (const [tool, args] of [
      ["fs_edit", { path: "plain.txt", edits }],
      ["fs_delete", { path: "alias" }],
      ["fs_move", { from: "deep", to: "alias", overwrite: true }],
      ["fs_delete", { path: "folder" }],
      ["fs_write", { path: "prepared/config", content, overwrite: true }],
    ] as const) {
      expect(await own.ask(tool, args), JSON.stringify(args)).toMatch(/^denied: .*protected: /);
    }
    await own.close();
  });

  test("protectedPaths refuses a relative path", () => {
    expect(() => filesystem({ roots: [root], protectedPaths: ["relative"] })).toThrow("protectedPaths");
  });
});
