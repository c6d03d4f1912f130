import { execFileSync, fork } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { ensureFolderWorkspace, joinWorkspace } from "./folder-workspace.ts";
import { openRegistry } from "./registry.ts";

let at: string;
beforeEach(() => {
  at = realpathSync(mkdtempSync(path.join(tmpdir(), "workspaces-")));
});

const place = (...names: string[]) => path.join(at, ...names);

function make(...names: string[]): string {
  mkdirSync(place(...names), { recursive: true });
  return place(...names);
}

const registry = () => openRegistry(place("data", "workspaces"));
const idOf = (...names: string[]) => ensureFolderWorkspace(registry(), place(...names)).id;

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always", ...args], {
    cwd,
    stdio: "pipe",
  });

function makeRepository(...names: string[]): string {
  const made = make(...names);
  git(made, "init", "-q");
  git(made, "commit", "-q", "--allow-empty", "-m", "first");
  return made;
}

describe("one repository is one workspace", () => {
  test("in its worktrees, in a copy and after a move; a submodule and a clone are others", () => {
    makeRepository("library");
    const main = makeRepository("api");
    git(main, "worktree", "add", "-q", place("tree"));
    git(main, "submodule", "--quiet", "add", place("library"), "library");
    const id = idOf("api");
    expect(idOf("tree")).toBe(id);
    cpSync(main, place("copy"), { recursive: true });
    expect(idOf("copy")).toBe(id);
    const submodule = idOf("api", "library");
    expect(submodule).toMatch(/^library~/);
    expect(submodule).not.toBe(idOf("library"));
    git(at, "clone", "-q", main, place("clone"));
    expect(idOf("clone")).not.toBe(id);
    renameSync(main, place("moved"));
    expect(idOf("moved")).toBe(id);
    expect(
      registry()
        .entries()
        .find((entry) => entry.id === id)?.folders,
    ).toContain(place("moved"));
  });

  test("also when it joins another one: its worktrees, its copies, and its new place after a move", () => {
    const main = makeRepository("main");
    git(main, "worktree", "add", "-q", place("tree"));
    make("other");
    const other = idOf("other");
    joinWorkspace(registry(), main, other);
    cpSync(main, place("copy"), { recursive: true });
    expect([idOf("tree"), idOf("copy")]).toEqual([other, other]);
    renameSync(main, place("moved"));
    expect(idOf("moved")).toBe(other);
  });

  test("but not in a folder that imitates its worktree, or takes the place of a removed one", () => {
    const main = makeRepository("client", "api");
    const victim = idOf("client", "api");
    git(main, "worktree", "add", "-q", place("tree"));
    make("evil", "api");
    writeFileSync(place("evil", "api", ".git"), readFileSync(place("tree", ".git")));
    expect(idOf("evil", "api")).not.toBe(victim);
    rmSync(place("tree"), { recursive: true });
    writeFileSync(path.join(make("tree"), ".git"), "gitdir: ../client/api/.git/worktrees/tree\n");
    expect(idOf("tree")).not.toBe(victim);
    expect(idOf("client", "api")).toBe(victim);
  });
});

test("a key that is a FIFO does not block", () => {
  make("api", ".git");
  execFileSync("mkfifo", [place("api", ".git", "toolpacks-workspace")]);
  expect(idOf("api")).toBe(idOf("api"));
});

test("processes that start at once get the same id, in a new folder and with a foreign key", async () => {
  make("repository", ".git");
  make("plain");
  writeFileSync(path.join(make("unpacked", ".git"), "toolpacks-workspace"), `${"0".repeat(32)}\n`);
  const script = fileURLToPath(new URL("print-workspace.fixture.ts", import.meta.url));
  const print = (directory: string) =>
    new Promise<string>((resolve, reject) => {
      const child = fork(script, [directory, place("data", "workspaces")], {
        execArgv: ["--conditions=@toolpacks/source"],
      });
      child.once("message", (id) => resolve(id as string));
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`exit code ${code}`)));
    });
  for (const name of ["repository", "plain", "unpacked"]) {
    const ids = await Promise.all(Array.from({ length: 3 }, () => print(place(name))));
    expect(new Set(ids)).toEqual(new Set([idOf(name)]));
  }
});
