import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, type Dispatcher } from "@toolpacks/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesystem } from "./index.ts";

const canary = "canary-5f1d0c";
let base: string;
let dispatcher: Dispatcher;
let socket: Server;

/** A text that describes everything outside the root, to detect changes. */
function outside(directory = base): string {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !(directory === base && entry.name === "data"))
    .map((entry) => {
      const full = path.join(directory, entry.name);
      return `${full}\n${entry.isDirectory() ? outside(full) : readFileSync(full, "utf8")}`;
    })
    .sort()
    .join("\n");
}

beforeAll(async () => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "traversal-")));
  for (const folder of [
    "data",
    "data/sub",
    "data/sub/deep",
    "database",
    "data-2",
    "elsewhere",
    "elsewhere/inner",
    "DATA2",
  ]) {
    mkdirSync(path.join(base, folder));
  }
  for (const file of [
    "secret.txt",
    "database/secret.txt",
    "data-2/secret.txt",
    "elsewhere/secret.txt",
    "elsewhere/inner/secret.txt",
  ]) {
    writeFileSync(path.join(base, file), canary);
  }
  writeFileSync(path.join(base, "data/inside.txt"), "inside");
  const links: readonly (readonly [name: string, target: string])[] = [
    ["to-file", "../secret.txt"],
    ["to-file-absolute", path.join(base, "secret.txt")],
    ["to-folder", "../elsewhere"],
    ["to-folder-absolute", path.join(base, "elsewhere")],
    ["to-sibling", "../database"],
    ["to-parent", ".."],
    ["to-top", "/"],
    ["to-proc", "/proc/self"],
    ["to-cwd", "/proc/self/cwd"],
    ["to-zero", "/dev/zero"],
    ["to-tty", "/dev/tty"],
    ["chain-1", "chain-2"],
    ["chain-2", "chain-3"],
    ["chain-3", "../secret.txt"],
    ["folder-chain", "to-folder/inner"],
    ["loop", "loop"],
    ["dangling-out", "../not-there.txt"],
    ["dangling-folder", "../not-there/file.txt"],
    ["dangling-in", "not-there-either.txt"],
    ["sub/up", "../../elsewhere"],
    ["sub/deep/far", "../../../secret.txt"],
    ["through-root", "../data/../secret.txt"],
  ];
  for (const [name, target] of links) symlinkSync(target, path.join(base, "data", name));
  execFileSync("mkfifo", [path.join(base, "data/pipe")]);
  socket = createServer().listen(path.join(base, "data/socket"));
  dispatcher = createDispatcher(
    createCatalog({ packs: [filesystem({ roots: [path.join(base, "data")], write: true })] }),
  );
});

afterAll(() => socket.close());

/** A tool's arguments with a tested path in one of its path fields. */
type Attempts = Readonly<Record<string, (bad: string) => Record<string, unknown>>>;

/** Paths that lead outside the root, or to an entry that is not a file. */
const escapes: readonly string[] = [
  "../secret.txt",
  "..",
  "../",
  "./../secret.txt",
  "sub/../../secret.txt",
  "sub/deep/../../../secret.txt",
  "../../../../../../../../etc/passwd",
  "..//secret.txt",
  "../data/../secret.txt",
  "../database/secret.txt",
  "../data-2/secret.txt",
  "../DATA2/x",
  "../Data/inside.txt",
  "../data2",
  "/etc/passwd",
  "/etc/../etc/passwd",
  "//etc/passwd",
  "/",
  "/proc/self/environ",
  "/proc/self/root{base}/secret.txt",
  "/dev/zero",
  "/dev/stdin",
  "{base}/secret.txt",
  "{base}/database/secret.txt",
  "{base}/data-2/secret.txt",
  "{base}/data/../secret.txt",
  "{base}/data/sub/../../elsewhere/secret.txt",
  "{base}/DATA/inside.txt",
  "{base}/data\u0000/../secret.txt",
  "to-file",
  "to-file-absolute",
  "to-folder/secret.txt",
  "to-folder/inner/secret.txt",
  "to-folder/new.txt",
  "to-folder-absolute/secret.txt",
  "to-folder/../secret.txt/../../secret.txt",
  "to-sibling/secret.txt",
  "to-sibling/new.txt",
  "to-parent/secret.txt",
  "to-parent/elsewhere/secret.txt",
  "to-parent/new.txt",
  "to-top/etc/passwd",
  "to-proc/environ",
  "to-cwd/package.json",
  "to-zero",
  "to-tty",
  "chain-1",
  "chain-2",
  "folder-chain/secret.txt",
  "folder-chain/new.txt",
  "loop",
  "loop/x",
  "dangling-out",
  "dangling-folder",
  "sub/up/secret.txt",
  "sub/up/new.txt",
  "sub/deep/far",
  "through-root",
  "{base}/data/to-folder/secret.txt",
  "{base}/data/to-parent/secret.txt",
  "secret.txt\u0000",
  "\u0000../secret.txt",
  "inside.txt\u0000.png",
  "．．/secret.txt",
  "‥/secret.txt",
  "..\u2215secret.txt",
  "..／secret.txt",
  "..\\secret.txt",
  "..%2fsecret.txt",
  "%2e%2e/secret.txt",
  "%2e%2e%2fsecret.txt",
  "..%c0%afsecret.txt",
  "\u202e../secret.txt",
  "..\u200b/secret.txt",
  "~/secret.txt",
  "~root/.bashrc",
  "$HOME/secret.txt",
  "file:///etc/passwd",
  "file://{base}/secret.txt",
  "\\\\host\\share\\secret.txt",
  "//host/share/secret.txt",
  "C:\\secret.txt",
  ".../secret.txt",
  ".. /secret.txt",
  "pipe",
  "socket",
  "inside.txt/../../secret.txt",
  "inside.txt/x",
  "a".repeat(300),
  "a/".repeat(3000),
];

/**
 * Paths to files outside the test's folder. Tests only read them: if containment breaks, a test must not overwrite a developer's files.
 */
function leavesTestFolder(escape: string): boolean {
  const absolute = path.isAbsolute(escape) && !escape.startsWith("{base}");
  return absolute || escape.startsWith("../../..") || /^to-(top|proc|cwd|zero|tty)/.test(escape);
}

const reading: Attempts = {
  fs_read: (bad) => ({ path: bad }),
  "fs_read several": (bad) => ({ paths: [bad, "inside.txt"] }),
  fs_list: (bad) => ({ path: bad, depth: 2, ignored: true, limit: 100 }),
  "fs_list glob": (bad) => ({ glob: bad.slice(0, 900), limit: 100 }),
  fs_stat: (bad) => ({ path: bad }),
  "fs_copy from": (bad) => ({ from: bad, to: "copied", overwrite: true }),
};

const writing: Attempts = {
  fs_write: (bad) => ({ path: bad, content: "overwritten", overwrite: true }),
  "fs_write parents": (bad) => ({ path: `${bad}/made/new.txt`, content: "made", parents: true }),
  fs_edit: (bad) => ({ path: bad, edits: [{ append: "more" }] }),
  "fs_copy to": (bad) => ({ from: "inside.txt", to: bad }),
  fs_mkdir: (bad) => ({ path: `${bad}/made` }),
};

test("there are at least 60 escapes", () => {
  expect(new Set(escapes).size).toBeGreaterThanOrEqual(60);
});

const attempts = [
  ...Object.entries(reading).map(([name, args]) => ({ name, args, tried: escapes })),
  ...Object.entries(writing).map(([name, args]) => ({
    name,
    args,
    tried: escapes.filter((escape) => !leavesTestFolder(escape)),
  })),
];

describe.each(attempts)("$name", ({ name, args, tried }) => {
  test.each(tried.map((escape) => [escape.slice(0, 60), escape] as const))(
    "does not get out by %j",
    async (_, escape) => {
      const before = outside();
      const outcome = await dispatcher.dispatch({
        name: name.split(" ", 1)[0] ?? "",
        args: args(escape.replace("{base}", base)),
      });
      const answer = JSON.stringify(outcome);
      expect(answer).not.toContain(canary);
      expect(answer).not.toContain("root:x:0");
      if (!escape.includes("{base}")) expect(answer).not.toContain(base);
      expect(answer).not.toContain('"internal"');
      expect(outside()).toBe(before);
    },
  );
});

describe("moving and deleting do not follow a link", () => {
  test("deleting a link keeps its target", async () => {
    symlinkSync("../elsewhere", path.join(base, "data/doomed"));
    const before = outside();
    const outcome = await dispatcher.dispatch({ name: "fs_delete", args: { path: "doomed", permanent: true } });
    expect(outcome.ok).toBe(true);
    expect(outside()).toBe(before);
  });

  test.each(["../secret.txt", "to-folder/secret.txt", "to-parent/secret.txt", "{base}/secret.txt", ".", ".."])(
    "neither moves nor deletes %j",
    async (escape) => {
      const bad = escape.replace("{base}", base);
      const before = outside();
      for (const [name, args] of [
        ["fs_delete", { path: bad }],
        ["fs_delete", { path: bad, permanent: true }],
        ["fs_move", { from: bad, to: "stolen" }],
        ["fs_move", { from: "inside.txt", to: bad === "." ? "../out" : bad }],
        ["fs_copy", { from: bad, to: "stolen" }],
      ] as const) {
        const outcome = await dispatcher.dispatch({ name, args });
        expect(outcome, `${name} ${JSON.stringify(args)}`).toMatchObject({ ok: false });
      }
      expect(outside()).toBe(before);
      expect(readFileSync(path.join(base, "data/inside.txt"), "utf8")).toBeTruthy();
    },
  );

  test("a trash that is a link is not followed", async () => {
    const root = mkdtempSync(path.join(base, "data/nested-"));
    writeFileSync(path.join(root, "a.txt"), "a");
    symlinkSync("../../elsewhere", path.join(root, ".trash"));
    const nested = createDispatcher(createCatalog({ packs: [filesystem({ roots: [root], write: true })] }));
    const before = outside();
    expect(await nested.dispatch({ name: "fs_delete", args: { path: "a.txt" } })).toMatchObject({
      failure: { code: "denied" },
    });
    expect(outside()).toBe(before);
  });
});
