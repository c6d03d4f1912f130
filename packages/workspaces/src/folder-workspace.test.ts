import {
  chownSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { idsInThreads } from "./contend.fixture.ts";
import { ensureFolderWorkspace, findFolderWorkspace, joinWorkspace, nameInId } from "./folder-workspace.ts";
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

/** The id of a folder's workspace, as a server that writes finds it. */
const idOf = (...names: string[]) => ensureFolderWorkspace(registry(), place(...names)).id;

/** A repository as `git init` makes it. */
function makeRepository(...names: string[]): string {
  const made = make(...names);
  fillGitDirectory(path.join(made, ".git"));
  return made;
}

function fillGitDirectory(folder: string, config = "[core]\n\tbare = false\n"): void {
  for (const name of ["objects", "refs"]) mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(path.join(folder, "config"), config);
}

/** Writes what `git worktree add` writes. */
function addWorktree(repository: string, tree: string): void {
  const admin = path.join(repository, ".git/worktrees", path.basename(tree));
  mkdirSync(admin, { recursive: true });
  mkdirSync(tree);
  writeFileSync(path.join(admin, "gitdir"), `${tree}/.git\n`);
  writeFileSync(path.join(admin, "commondir"), "../..\n");
  writeFileSync(path.join(tree, ".git"), `gitdir: ${admin}\n`);
}

/** Writes what `git submodule add` writes. */
function addSubmodule(repository: string, name: string): void {
  fillGitDirectory(path.join(repository, ".git/modules", name), `[core]\n\tworktree = ../../../${name}\n`);
  mkdirSync(path.join(repository, name));
  writeFileSync(path.join(repository, name, ".git"), `gitdir: ../.git/modules/${name}\n`);
}

describe("two folders are two workspaces", () => {
  test("with constant ids that contain the folder's name and cannot be guessed", () => {
    for (const client of ["client1", "client2", "client3"]) make(client, "api");
    make("client1", "api", ".git");
    make("client2", "api", ".git");
    const ids = ["client1", "client2", "client3"].map((client) => idOf(client, "api"));
    expect(new Set(ids).size).toBe(3);
    expect(["client1", "client2", "client3"].map((client) => idOf(client, "api"))).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^api~[0-9a-z]{16}$/);
    expect(ids.map(nameInId)).toEqual(["api", "api", "api"]);
    expect(statSync(place("client1", "api", ".git", "toolpacks-workspace")).mode & 0o777).toBe(0o600);
    expect(statSync(place("data", "workspaces")).mode & 0o777).toBe(0o700);
  });

  test("a repository's folders and a link to it are one workspace", () => {
    make("api", ".git");
    make("api", "src", "deep");
    symlinkSync(place("api"), place("link"));
    expect(idOf("api", "src", "deep")).toBe(idOf("api"));
    expect(idOf("link")).toBe(idOf("api"));
  });

  test.skipIf(process.getuid?.() !== 0)("also inside a repository of another user", () => {
    make(".git");
    chownSync(place(".git"), 12_345, 12_345);
    make("one");
    make("two");
    expect(idOf("one")).not.toBe(idOf("two"));
  });

  test("inspecting a folder changes nothing on disk", () => {
    make("api", ".git");
    expect(findFolderWorkspace(registry(), place("api")).isNew).toBe(true);
    expect(() => statSync(place("data"))).toThrow("ENOENT");
    expect(() => statSync(place("api", ".git", "toolpacks-workspace"))).toThrow("ENOENT");
  });

  test("servers that start at once in a new folder get the same id", async () => {
    make("repository", ".git");
    make("plain");
    for (const name of ["repository", "plain"]) {
      const ids = await idsInThreads(place(name), place("data", "workspaces"));
      expect(new Set(ids)).toEqual(new Set([idOf(name)]));
    }
  });
});

describe("one repository is one workspace", () => {
  test("in its worktrees, in a copy and after a move; a submodule and a clone are others", () => {
    makeRepository("library");
    const main = makeRepository("api");
    addWorktree(main, place("tree"));
    addSubmodule(main, "library");
    const id = idOf("api");
    expect(idOf("tree")).toBe(id);
    cpSync(main, place("copy"), { recursive: true });
    expect(idOf("copy")).toBe(id);
    const submodule = idOf("api", "library");
    expect(submodule).toMatch(/^library~/);
    expect(submodule).not.toBe(idOf("library"));
    makeRepository("clone");
    expect(idOf("clone")).not.toBe(id);
    renameSync(main, place("moved"));
    expect(idOf("moved")).toBe(id);
    expect(
      registry()
        .entries()
        .find((entry) => entry.id === id)?.folders,
    ).toContain(place("moved"));
  });

  test("git init keeps the folder's workspace, also after a later move", () => {
    make("notes");
    const id = idOf("notes");
    make("notes", ".git");
    expect(idOf("notes")).toBe(id);
    renameSync(place("notes"), place("elsewhere"));
    expect(idOf("elsewhere")).toBe(id);
  });

  test("a new repository around a folder with a workspace does not take it", () => {
    make("all", "part");
    make("all", "new");
    const part = idOf("all", "part");
    make("all", ".git");
    const all = idOf("all");
    expect(idOf("all", "part")).toBe(part);
    expect(idOf("all", "new")).toBe(all);
  });

  test("a repository that replaces another one is a new workspace", () => {
    make("api", ".git");
    const before = idOf("api");
    rmSync(place("api", ".git"), { recursive: true });
    make("api", ".git");
    expect(idOf("api")).not.toBe(before);
  });

  test("a moved folder without git is a new workspace", () => {
    make("old", "notes");
    const before = idOf("old", "notes");
    make("new");
    renameSync(place("old", "notes"), place("new", "notes"));
    expect(idOf("new", "notes")).not.toBe(before);
  });
});

describe("files of an archive do not open another project's workspace", () => {
  let victim: string;
  const key = (...names: string[]) => place(...names, ".git", "toolpacks-workspace");
  beforeEach(() => {
    makeRepository("client", "api");
    victim = idOf("client", "api");
    make("evil", "api");
  });

  test.each<[string, () => void]>([
    [
      "a .git file that names its git directory",
      () => writeFileSync(place("evil", "api", ".git"), `gitdir: ${place("client", "api", ".git")}\n`),
    ],
    ["a .git that is a link", () => symlinkSync(place("client", "api", ".git"), place("evil", "api", ".git"))],
    [
      "a key that is a link",
      () => {
        make("evil", "api", ".git");
        symlinkSync(key("client", "api"), key("evil", "api"));
      },
    ],
    [
      "a worktree of its own making whose commondir names it",
      () => {
        const admin = make("evil", "g", "worktrees", "x");
        writeFileSync(path.join(admin, "gitdir"), "../../../api/.git\n");
        writeFileSync(path.join(admin, "commondir"), `${place("client", "api", ".git")}\n`);
        writeFileSync(place("evil", "api", ".git"), "gitdir: ../g/worktrees/x\n");
      },
    ],
    [
      "the worktree of another folder",
      () => {
        addWorktree(place("client", "api"), place("tree"));
        writeFileSync(place("evil", "api", ".git"), readFileSync(place("tree", ".git")));
      },
    ],
    [
      "a git directory with a commondir",
      () => {
        writeFileSync(path.join(make("evil", "api", ".git"), "commondir"), `${place("client", "api", ".git")}\n`);
      },
    ],
    [
      "a git directory whose config has an endless line",
      () => {
        const spaces = " ".repeat(300_000);
        writeFileSync(path.join(make("evil", "g"), "config"), `[core]\nworktree = ${spaces}\u0001${spaces}x\n`);
        writeFileSync(place("evil", "api", ".git"), "gitdir: ../g\n");
      },
    ],
    [
      "the workspace's id as its key",
      () => {
        make("evil", "api", ".git");
        writeFileSync(key("evil", "api"), victim);
      },
    ],
    [
      "the name of a workspace as its key",
      () => {
        make("evil", "api", ".git");
        writeFileSync(key("evil", "api"), "default\n");
      },
    ],
    [
      "a key that is too long",
      () => {
        make("evil", "api", ".git");
        writeFileSync(key("evil", "api"), readFileSync(key("client", "api"), "utf8").padEnd(300));
      },
    ],
    [
      "a key that is a FIFO",
      () => {
        make("evil", "api", ".git");
        linkSync(process.env["TEST_FIFO"] ?? "", key("evil", "api"));
      },
    ],
  ])("%s", (_how, bring) => {
    bring();
    const id = idOf("evil", "api");
    expect(id).toMatch(/^api~[0-9a-z]{16}$/);
    expect(id).not.toBe(victim);
    expect(idOf("evil", "api")).toBe(id);
    expect(idOf("client", "api")).toBe(victim);
  });

  test("a repository whose configuration is one long line of spaces is read quickly", () => {
    const admin = make("evil", "g");
    writeFileSync(path.join(admin, "config"), `worktree = ${" ".repeat(300_000)}\u0001${" ".repeat(150_000)}x\n`);
    writeFileSync(path.join(make("evil", "api"), ".git"), "gitdir: ../g\n");
    const started = performance.now();
    expect(idOf("evil", "api")).not.toBe(victim);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("a removed worktree's place", () => {
    addWorktree(place("client", "api"), place("tree"));
    rmSync(place("tree"), { recursive: true });
    writeFileSync(path.join(make("tree"), ".git"), "gitdir: ../client/api/.git/worktrees/tree\n");
    expect(idOf("tree")).not.toBe(victim);
  });
});

describe("joinWorkspace", () => {
  test("lets a folder use another workspace, and returns the one before", () => {
    const [one, two] = [make("one"), make("two")];
    const [first, second] = [idOf("one"), idOf("two")];
    expect(joinWorkspace(registry(), two, first)).toEqual({ folder: two, before: second });
    expect([idOf("one"), idOf("two")]).toEqual([first, first]);
    expect(joinWorkspace(registry(), one, second)).toEqual({ folder: one, before: first });
  });

  test("applies to the repository: its worktrees, its copies, and its new place after a move", () => {
    const main = makeRepository("main");
    addWorktree(main, place("tree"));
    make("other");
    const other = idOf("other");
    joinWorkspace(registry(), main, other);
    cpSync(main, place("copy"), { recursive: true });
    expect([idOf("tree"), idOf("copy")]).toEqual([other, other]);
    renameSync(main, place("moved"));
    expect(idOf("moved")).toBe(other);
  });
});

describe("when nothing can be stored", () => {
  test("the folder's path identifies a repository whose .git cannot be written", () => {
    make("api", ".git");
    // A file in place of the key's folder entry stands for every reason: root may write anywhere.
    make("api", ".git", "toolpacks-workspace");
    const id = idOf("api");
    expect(idOf("api")).toBe(id);
    expect(registry().find(`path:${place("api")}`)?.id).toBe(id);
  });

  test("without a data folder ids are constant and different for each folder", () => {
    writeFileSync(place("data"), "");
    make("one", "api");
    make("two", "api");
    const ids = [idOf("one", "api"), idOf("two", "api")];
    expect(new Set(ids).size).toBe(2);
    expect([idOf("one", "api"), idOf("two", "api")]).toEqual(ids);
  });

  test("a root that is a file or missing has a workspace", () => {
    writeFileSync(place("file"), "");
    for (const names of [["file"], ["none", "such"]]) expect(idOf(...names)).toBe(idOf(...names));
  });

  test("a damaged entry is ignored and replaced", () => {
    make("api");
    const id = idOf("api");
    const [file = ""] = readdirSync(place("data", "workspaces"));
    const entry = place("data", "workspaces", file);
    writeFileSync(entry, "{");
    const next = idOf("api");
    expect(next).not.toBe(id);
    expect(idOf("api")).toBe(next);
  });
});
