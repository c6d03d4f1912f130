import { appendFile, link, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { folderOf, onWire } from "./pack.fixture.ts";
import { runRipgrep } from "./ripgrep/run-ripgrep.ts";

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function folder(files: Readonly<Record<string, string>>) {
  const made = await folderOf(files);
  ended.push(() => rm(made, { recursive: true }));
  return made;
}

async function serve(root: string, timeoutMs = 5000) {
  const wire = await onWire({ roots: [root], timeoutMs });
  ended.unshift(() => wire.close());
  return wire;
}

/** The same search in each tool. */
const searches = [
  ["search_text", { pattern: "needle" }],
  ["search_text", { pattern: "needle", mode: "count" }],
  ["search_files", {}],
  ["search_symbols", {}],
] as const;

describe("an ignore file takes bounded time and memory", () => {
  test.each([".gitignore", "sub/.ignore"])("as the FIFO %s: each search ends, and says so", async (name) => {
    const root = await folder({ "a.ts": "const needle = 1;\n", "sub/b.ts": "const needle = 2;\n" });
    await link(process.env["TEST_FIFO"] ?? "", path.join(root, name));
    const wire = await serve(root, 500);
    for (const [tool, args] of searches) {
      const hint = expect.stringContaining("Stopped after 0.5 s") as string;
      expect([tool, await wire.value(tool, args)]).toMatchObject([tool, { partial: true, hint }]);
    }
    expect((await wire.value("search_files", { ignored: true })).total).toBe(2);
  });

  test.skipIf(process.platform !== "linux")("as a link to /dev/zero: the search fails", async () => {
    const root = await folder({ "a.ts": "const needle = 1;\n" });
    await symlink("/dev/zero", path.join(root, ".gitignore"));
    const wire = await serve(root);
    const failure = await wire.failure("search_text", { pattern: "needle" });
    expect(failure).toContain("unavailable: ripgrep was killed by SIGABRT before the search was complete");
    expect(failure).toContain("`ignored` reads none");
    expect(await wire.text("search_text", { pattern: "needle", mode: "files", ignored: true })).toBe("a.ts");
  });

  test.each([
    ["many **/ in a row", `${"**/".repeat(100_000)}x\n`],
    ["folders that ** may skip", `${"**/a/".repeat(199)}x\n`.repeat(450)],
    ["many rules", "**/z/y\n".repeat(70_000)],
  ])("with %s", async (_, rules) => {
    const deep = "a/".repeat(200);
    const root = await folder({ ".gitignore": rules, ".git/HEAD": "", [`${deep}one.txt`]: "needle\n" });
    const wire = await serve(root);
    const begin = performance.now();
    const before = process.memoryUsage().rss;
    const call = wire.text("search_text", { pattern: "needle", path: deep, mode: "files" });
    expect(await call.catch((error: unknown) => String(error))).toMatch(
      /one\.txt$|ripgrep was killed|Stopped after 5 s/,
    );
    expect(performance.now() - begin).toBeLessThan(6_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
  });
});

test("an ignore file that is a link to an outside file shows nothing of it", async () => {
  const base = await folder({ outside: "[z-a]secret\n", "root/a.txt": "needle\n" });
  await symlink(path.join(base, "outside"), path.join(base, "root/.gitignore"));
  const wire = await serve(path.join(base, "root"));
  expect(await wire.text("search_text", { pattern: "needle", mode: "files" })).toBe("a.txt");
  expect(await wire.failure("search_text", { pattern: "needle", globs: ["[y-b]"] })).not.toContain("secret");
});

test("an invalid rule is skipped, and causes no error for the globs", async () => {
  const root = await folder({ ".gitignore": "a{b\nfoo[\nhidden.txt\n", "hidden.txt": "needle\n", "a.txt": "needle\n" });
  const wire = await serve(root);
  expect(await wire.text("search_text", { pattern: "needle", mode: "files" })).toBe("a.txt");
});

describe.each([".gitignore", ".ignore", "sub/.gitignore"])("several invalid rules in %s", (name) => {
  test.each(["[z-a]\n[y-b]\n", "{a,b\n{c,d\n", "[z-a]\n[rg: x\n{error parsing glob\n"])(
    "are skipped in every search: %j",
    async (rules) => {
      const root = await folder({
        [name]: `${rules}hidden.ts\n`,
        "sub/hidden.ts": "",
        "sub/a.ts": "const needle = 1;\n",
      });
      const wire = await serve(root);
      expect(await wire.text("search_text", { pattern: "needle", mode: "files" })).toBe("sub/a.ts");
      expect((await wire.value("search_files", {})).items.map((item) => item.path)).toEqual(["sub/a.ts"]);
      expect((await wire.value("search_symbols", {})).total).toBe(1);
      expect(await wire.failure("search_text", { pattern: "needle", globs: ["[y-b]"] })).toContain("globs: ");
    },
  );
});

describe("ignore files hide the same files as ripgrep's own rules in a repository", () => {
  const files = {
    "outer/.gitignore": "from-outer\n/repository/packages/one/exact\n",
    "outer/repository/.git/info/exclude": "excluded\n!kept.log\n",
    "outer/repository/.gitignore":
      "# note\n*.log\n!kept.log\n/top\nbuild/\npackages/*/dist\n**/deep/x\nsub/**/y\nspace\\ \n\\#hash\n\\!bang\n{p,q}.txt\npackages/**/z\r\n**/**/two/**/inner\n",
    "outer/repository/packages/.gitignore": "!a.log\n/one/first\nname\nfo[ou]\n",
    "outer/repository/packages/one/.ignore": "!dist\n/anchored\nsub/inner\n",
    "outer/repository/packages/one/.gitignore": "\uFEFFtwo\n*.[ch]\n",
    "outer/repository/packages/[odd] {a,b}*?/.gitignore": "/here\nthere\n",
    "outer/repository/packages/line\nbreak/.gitignore": "/here\n",
    "outer/repository/build/.gitignore": "!*\n",
    "outer/repository/.rgignore": "!excluded\n",
    "outer/repository/#hash/.gitignore": "here\n",
  };
  const leaves = [
    "a.log",
    "kept.log",
    "top",
    "build/a",
    "dist/a",
    "deep/x/a",
    "sub/one/y",
    "space ",
    "#hash/here",
    "!bang",
    "p.txt",
    "r.txt",
    "z",
    "first",
    "name",
    "foo",
    "fou",
    "exact",
    "anchored",
    "sub/inner/a",
    "two",
    "a.c",
    "here",
    "there",
    "excluded",
    "from-outer",
    "plain",
  ];
  const folders = [
    "",
    "packages",
    "packages/one",
    "packages/one/sub",
    "packages/[odd] {a,b}*?",
    "packages/line\nbreak",
    "build",
  ];

  test.each(folders)("in %j", async (where) => {
    const base = await folder(files);
    const repository = path.join(base, "outer/repository");
    for (const one of [...folders, "packages/other"]) {
      for (const leaf of leaves) {
        await mkdir(path.dirname(path.join(repository, one, leaf)), { recursive: true });
        await appendFile(path.join(repository, one, leaf), "");
      }
    }
    await writeFile(path.join(base, ".gitignore"), "plain\n");
    const args = ["--files", "--null", "--no-ignore-global"];
    for (const hidden of [false, true]) {
      const own = runRipgrep({
        args: [...args, ...(hidden ? ["--hidden", "--glob=!.git"] : []), "./"],
        cwd: path.join(repository, where),
        signal: new AbortController().signal,
      });
      const expected = Buffer.concat(await Array.fromAsync(own))
        .toString()
        .split("\0")
        .slice(0, -1)
        .map((one) => path.posix.join(where, one));
      const wire = await serve(repository);
      const page = await wire.value("search_files", { path: where || ".", hidden, limit: 5000 });
      expect(page.items.map(({ path: one }) => one).toSorted()).toEqual(expected.toSorted());
      expect(page.total).toBeGreaterThan(5);
    }
  });
});
