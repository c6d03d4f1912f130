import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, measureBudget, renderFailure } from "@toolpacks/core";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { beforeEach, describe, expect, test } from "vitest";
import { filesystem } from "./filesystem.ts";

let root: string;
const at = (...parts: string[]) => path.join(root, ...parts);

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "filesystem-")));
});

/** The text that a model reads. */
async function ask(
  name: string,
  args: Record<string, unknown>,
  options: { write?: boolean; maxReadBytes?: number } = {},
) {
  const pack = filesystem({ roots: [root], write: true, ...options });
  const outcome = await createDispatcher(createCatalog({ packs: [pack] })).dispatch({ name, args });
  if (!outcome.ok) return renderFailure(outcome.failure);
  return outcome.blocks?.map((block) => (block.type === "text" ? block.text : block.type)).join("\n") ?? outcome.text;
}

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join("");

describe("the pack", () => {
  test("takes at most 900 tokens with every tool", async () => {
    const report = await measureBudget(filesystem({ roots: [root], write: true }), (text) => encode(text).length);
    expect(report.tools).toHaveLength(9);
    expect(report.total).toBeLessThanOrEqual(900);
  });

  test("lists only reading tools without write, and the error names the option", async () => {
    expect(await ask("fs_write", { path: "a", content: "b" }, { write: false })).toMatch(
      /^denied: fs_write cannot be called: writing is off\n.*--write/,
    );
  });

  test("refuses wrong options with their names", () => {
    expect(() => filesystem({ roots: [] })).toThrow("filesystem: roots:");
    expect(() => filesystem({ roots: ["."], wirte: true } as never)).toThrow("did you mean write?");
  });

  test("with several roots accepts paths that begin with a root's name", async () => {
    await mkdir(at("a/src"), { recursive: true });
    await mkdir(at("b/src"), { recursive: true });
    await writeFile(at("b/src/x.txt"), "from b");
    const pack = filesystem({ roots: [at("a/src"), at("b/src")] });
    const dispatcher = createDispatcher(createCatalog({ packs: [pack] }));
    expect(await dispatcher.dispatch({ name: "fs_read", args: { path: "src-2/x.txt" } })).toMatchObject({
      text: "from b",
    });
    expect(await dispatcher.dispatch({ name: "fs_list", args: {} })).toMatchObject({
      value: { items: [{ path: "src" }, { path: "src-2" }] },
    });
    const outcome = await dispatcher.dispatch({ name: "fs_read", args: { path: "x.txt" } });
    expect(outcome).toMatchObject({ failure: { code: "not_found", hint: "Roots: src, src-2." } });
  });
});

describe("roots", () => {
  const dispatcherOf = (roots: string[]) =>
    createDispatcher(createCatalog({ packs: [filesystem({ roots, write: true })] }));

  test("may include a link to another root", async () => {
    for (const name of ["a", "b"]) {
      await mkdir(at(name));
      await writeFile(at(name, "f"), `from ${name}`);
    }
    await symlink("a", at("alias"));
    const dispatcher = dispatcherOf([at("a"), at("alias"), at("b")]);
    const outcome = await dispatcher.dispatch({ name: "fs_read", args: { path: at("alias/f") } });
    expect(outcome).toMatchObject({ text: "from a" });
  });

  test("are neither deleted nor moved, also inside another root", async () => {
    await mkdir(at("p/x/q"), { recursive: true });
    const dispatcher = dispatcherOf([at("p"), at("p/x/q")]);
    for (const path of ["p/x/q", "p/x", "p", "q"]) {
      const removed = await dispatcher.dispatch({ name: "fs_delete", args: { path, permanent: true } });
      expect(removed, path).toMatchObject({ failure: { code: "invalid_input" } });
      const moved = await dispatcher.dispatch({ name: "fs_move", args: { from: path, to: "p/elsewhere" } });
      expect(moved, path).toMatchObject({ failure: { code: "invalid_input" } });
    }
  });

  test("reveal nothing about files outside", async () => {
    await mkdir(at("root"));
    await mkdir(at("out/dir"), { recursive: true });
    await symlink("../out", at("root/link"));
    const dispatcher = dispatcherOf([at("root")]);
    for (const start of ["../out", "link"]) {
      for (const rest of ["dir/x", "nodir/x", "nodir/deep/x"]) {
        const outcome = await dispatcher.dispatch({ name: "fs_read", args: { path: `${start}/${rest}` } });
        expect(outcome, `${start}/${rest}`).toMatchObject({ failure: { code: "denied" } });
      }
    }
  });

  test("may be in a folder whose name looks like a deleted folder's", async () => {
    await mkdir(at("odd (deleted)"));
    await writeFile(at("odd (deleted)/f"), "here");
    expect(await ask("fs_read", { path: "odd (deleted)/f" })).toBe("here");
  });
});

describe("fs_read", () => {
  test("returns a file's text unchanged", async () => {
    await writeFile(at("a.txt"), "one\r\ntwo");
    expect(await ask("fs_read", { path: "a.txt" })).toBe("one\r\ntwo");
    expect(await ask("fs_read", { path: at("a.txt") })).toBe("one\r\ntwo");
  });

  test("returns lines and says how to read on", async () => {
    await writeFile(at("a.txt"), lines(10));
    expect(await ask("fs_read", { path: "a.txt", startLine: 2, endLine: 3 })).toBe(
      "line 2\nline 3\n\n(lines 2-3 of 10)",
    );
    expect(await ask("fs_read", { path: "a.txt", tail: 1 })).toBe("line 10\n\n(line 10 of 10)");
    expect(await ask("fs_read", { path: "a.txt", startLine: 11 })).toBe(
      "invalid_input: startLine: a.txt has 10 lines, received 11",
    );
    expect(await ask("fs_read", { path: "a.txt", startLine: 3, endLine: 2 })).toContain(
      "endLine: expected at least startLine (3)",
    );
  });

  test("cuts at maxReadBytes by whole lines", async () => {
    await writeFile(at("a.txt"), lines(1000));
    expect(await ask("fs_read", { path: "a.txt" }, { maxReadBytes: 1024 })).toMatch(
      /\(lines 1-\d+ of 1000; go on with startLine \d+\)$/,
    );
    await writeFile(at("b.txt"), "x".repeat(5000));
    expect(await ask("fs_read", { path: "b.txt" }, { maxReadBytes: 1024 })).toContain(
      "too_large: b.txt: one line has over 1024 bytes",
    );
  });

  test("reads lines and the end of a file that is too large to read whole", async () => {
    const line = `${"x".repeat(99)}\n`;
    await writeFile(at("big.txt"), `${line.repeat(200_000)}last\n`);
    expect(await ask("fs_read", { path: "big.txt", startLine: 200_001 })).toBe("last\n\n(line 200001 of 200001)");
    expect(await ask("fs_read", { path: "big.txt", startLine: 5, endLine: 6 })).toBe(
      `${line}${line}\n(lines 5-6; go on with startLine 7)`,
    );
    expect(await ask("fs_read", { path: "big.txt", tail: 1 })).toBe("last\n");
  });

  test("skips long lines of a large file, and says when an end is cut", async () => {
    await writeFile(at("big.txt"), `${"y".repeat(2_000_000)}\n${"short\n".repeat(3_000_000)}`);
    expect(await ask("fs_read", { path: "big.txt", startLine: 2, endLine: 2 })).toMatch(/^short\n\n\(line 2; go on/);
    expect(await ask("fs_read", { path: "big.txt" })).toMatch(
      /^too_large: big\.txt: line 1 is longer|one line has over/,
    );
    expect(await ask("fs_read", { path: "big.txt", tail: 1_000_000 })).toMatch(
      /short\n\n\(the end of the file, as much/,
    );
  });

  test("returns at most maxReadBytes for several files together", async () => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) await writeFile(at(name), lines(100));
    const answer = await ask("fs_read", { paths: ["a.txt", "b.txt", "c.txt"] }, { maxReadBytes: 1024 });
    expect(answer.length).toBeLessThan(1600);
    expect(answer).toContain("== c.txt\n");
    expect(answer).toContain("too_large");
  });

  test("decodes UTF-16 and drops a byte order mark", async () => {
    await writeFile(at("le.txt"), Buffer.from("\uFEFFgrün", "utf16le"));
    await writeFile(at("be.txt"), Buffer.from("\uFEFFgrün", "utf16le").swap16());
    await writeFile(at("bom.txt"), "\uFEFFgrün");
    for (const name of ["le.txt", "be.txt", "bom.txt"]) expect(await ask("fs_read", { path: name })).toBe("grün");
  });

  test("rejects binary files with their type, and never replaces bytes", async () => {
    await writeFile(at("a.pdf"), Buffer.from("255044462d312e370a25e2e3cfd30a00", "hex"));
    expect(await ask("fs_read", { path: "a.pdf" })).toBe(
      "invalid_input: a.pdf: expected a text file, this is binary (application/pdf)",
    );
    await writeFile(at("latin1.txt"), Buffer.from([0x67, 0x72, 0xfc, 0x6e]));
    expect(await ask("fs_read", { path: "latin1.txt" })).toContain("an encoding other than UTF-8 and UTF-16");
  });

  test("returns images as images, with and without text", async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await writeFile(at("dot.png"), Buffer.from(png, "base64"));
    await writeFile(at("a.txt"), "text");
    expect(await ask("fs_read", { path: "dot.png" })).toBe("image");
    expect(await ask("fs_read", { paths: ["a.txt", "dot.png"] })).toBe(
      "== a.txt\ntext\n== dot.png\n(image/png)\nimage",
    );
  });

  test("reads several files, also if one of them fails", async () => {
    await writeFile(at("a.txt"), "A");
    expect(await ask("fs_read", { paths: ["a.txt", "b.txt"] })).toBe(
      "== a.txt\nA\n\n== b.txt\nnot_found: b.txt: there is no such file or directory\nNearest in its folder: a.txt.",
    );
  });
});

describe("fs_list", () => {
  beforeEach(async () => {
    await mkdir(at("src/deep"), { recursive: true });
    await mkdir(at("build"));
    await mkdir(at(".git"));
    await writeFile(at(".gitignore"), "build/\n*.log\n");
    await writeFile(at("src/.gitignore"), "!keep.log\n");
    for (const file of ["src/a.ts", "src/deep/b.ts", "src/keep.log", "src/drop.log", "build/out.js", ".git/HEAD"]) {
      await writeFile(at(file), "x".repeat(1500));
    }
    await symlink("src/a.ts", at("link.ts"));
  });

  test("shows one level, with sizes, without what git ignores", async () => {
    expect(await ask("fs_list", {})).toBe(".gitignore 13\nlink.ts -> src/a.ts\nsrc/");
    expect(await ask("fs_list", { path: "src" })).toBe(
      "src/.gitignore 10\nsrc/a.ts 1.5k\nsrc/deep/\nsrc/keep.log 1.5k",
    );
    expect(await ask("fs_list", { ignored: true })).toContain("build/");
  });

  test("finds by glob at any depth", async () => {
    const all = "link.ts -> src/a.ts\nsrc/a.ts 1.5k\nsrc/deep/b.ts 1.5k";
    expect(await ask("fs_list", { glob: "*.ts" })).toBe(`${all}\nSubfolders are included; depth: 1 leaves them out.`);
    expect(await ask("fs_list", { glob: "**/*.ts" })).toBe(all);
    expect(await ask("fs_list", { path: "src", glob: "*.ts", depth: 1 })).toMatch(
      /^src\/a\.ts 1\.5k\nOnly 1 level was/,
    );
    expect(await ask("fs_list", { path: "src/deep", glob: "*.ts" })).toBe("src/deep/b.ts 1.5k");
    expect(await ask("fs_list", { path: "src", glob: "deep/**" })).toBe("src/deep/b.ts 1.5k");
  });

  test("compacts a long list, counts all of it, and pages through it", async () => {
    await mkdir(at("many"));
    for (let n = 0; n < 30; n += 1) await writeFile(at(`many/f${String(n).padStart(2, "0")}`), "");
    const answer = await ask("fs_list", { path: "many" });
    expect(answer.split("\n").slice(19, 21)).toEqual(["many/f19 0", "(20 of 30)"]);
    const cursor = /cursor "([^"]+)"/.exec(answer)?.[1];
    const next = await ask("fs_list", { path: "many", cursor, limit: 2 });
    expect(next.split("\n").slice(0, 3)).toEqual(["many/f20 0", "many/f21 0", "(2 of 30)"]);
    expect((await ask("fs_list", { path: "many", limit: 30 })).split("\n")).toHaveLength(30);
    expect(await ask("fs_list", { path: "many", cursor: "?" })).toContain("invalid_input: cursor:");
  });
});

describe("fs_write", () => {
  test("creates a file, replaces one only with overwrite, and then keeps its mode and encoding", async () => {
    expect(await ask("fs_write", { path: "a.txt", content: "one" })).toBe("created a.txt, 3 bytes");
    expect(await ask("fs_write", { path: "a.txt", content: "two" })).toMatch(/^conflict: a\.txt: it exists already/);
    // The same call again, such as after its process was killed, has no further effect.
    expect(await ask("fs_write", { path: "a.txt", content: "one" })).not.toContain("conflict");
    await chmod(at("a.txt"), 0o750);
    await writeFile(at("le.txt"), Buffer.from("\uFEFFa", "utf16le"));
    await ask("fs_write", { path: "a.txt", content: "two", overwrite: true });
    await ask("fs_write", { path: "le.txt", content: "b", overwrite: true });
    expect((await stat(at("a.txt"))).mode & 0o777).toBe(0o750);
    expect(await readFile(at("le.txt"))).toEqual(Buffer.from("\uFEFFb", "utf16le"));
    expect((await readdir(root)).sort()).toEqual(["a.txt", "le.txt"]);
  });

  test("creates parents only on request", async () => {
    expect(await ask("fs_write", { path: "x/y/a.txt", content: "" })).toMatch(/^not_found: .*\nparents: true makes/);
    const wrong = { path: "x/y/a.txt", content: "", columns: ["a"], parents: true };
    expect(await ask("fs_write", wrong)).toMatch(/^invalid_input: columns/);
    expect(await ask("fs_stat", { path: "x" })).toMatch(/^not_found/);
    expect(await ask("fs_write", { path: "x/y/a.txt", content: "", parents: true })).toMatch(/^created/);
  });

  test("rejects half of a surrogate pair", async () => {
    expect(await ask("fs_write", { path: "a.txt", content: "a\ud800b" })).toContain("half of a surrogate pair");
    expect(await readdir(root)).toEqual([]);
  });

  test("succeeds for one of many simultaneous calls", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => ask("fs_write", { path: "one.txt", content: `${n}` })),
    );
    expect(answers.filter((answer) => answer.startsWith("created"))).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith("conflict"))).toHaveLength(19);
    expect(await readdir(root)).toEqual(["one.txt"]);
  });
});

describe("fs_edit", () => {
  const edit = (edits: object[], more: object = {}) => ask("fs_edit", { path: "a.txt", edits, ...more });

  test("replaces, inserts, deletes, appends and prepends, in order", async () => {
    await writeFile(at("a.txt"), "b\nc\nd\n");
    const edits = [
      { prepend: "a\n" },
      { old: "c", new: "C" },
      { line: 2, insert: "x" },
      { from: 5, to: 5 },
      { append: "end\n" },
    ];
    expect(await edit(edits)).toMatch(/^edited a\.txt: \+4 -2 lines\n@@ /);
    expect(await readFile(at("a.txt"), "utf8")).toBe("a\nx\nb\nC\nend\n");
  });

  test("is all or nothing", async () => {
    await writeFile(at("a.txt"), "one\n");
    expect(await edit([{ append: "two\n" }, { old: "three", new: "3" }])).toMatch(
      /^invalid_input: edits\[1\]\.old: not in the file/,
    );
    expect(await readFile(at("a.txt"), "utf8")).toBe("one\n");
  });

  test("reports the lines of a text that occurs twice, and the line nearest to a missing text", async () => {
    await writeFile(at("a.txt"), "same\nother\nsame\n  indented line\n");
    expect(await edit([{ old: "same", new: "x" }])).toContain("edits[0].old: occurs 2 times, at lines 1, 3");
    expect(await edit([{ old: "othre", new: "x" }])).toContain('Nearest is line 2: "other"');
    expect(await edit([{ old: "\tindented line", new: "x" }])).toContain("Line 4 differs only in white space");
  });

  test("replaces every occurrence on request, as plain text", async () => {
    await writeFile(at("a.txt"), "same\nother\nsame $&\n");
    expect(await edit([{ old: "same", new: "$1 same", all: true }])).toMatch(/^edited a\.txt: \+2 -2 lines/);
    expect(await readFile(at("a.txt"), "utf8")).toBe("$1 same\nother\n$1 same $&\n");
    expect(await edit([{ old: "gone", new: "", all: true }])).toMatch(
      /^invalid_input: edits\[0\]\.old: not in the file/,
    );
    await writeFile(at("a.txt"), "x".repeat(1_000));
    expect(await edit([{ old: "x", new: "y".repeat(20_000), all: true }])).toMatch(/^too_large: edits\[0\]\.new/);
    expect(await readFile(at("a.txt"), "utf8")).toBe("x".repeat(1_000));
  });

  test("rejects mixed forms, and lines beyond the end", async () => {
    await writeFile(at("a.txt"), "one\n");
    expect(await edit([{ old: "one" }])).toContain("edits[0]: expected {old, new}, {line, insert}, {from, to}");
    expect(await edit([{ line: 3, insert: "x" }])).toContain("edits[0].line: expected at most 2, received 3");
    expect(await edit([{ from: 1, to: 9 }])).toContain("edits[0].to: expected at most 1, received 9");
  });

  test("returns the unified diff on a dry run and writes nothing", async () => {
    await writeFile(at("a.txt"), "one\ntwo\n");
    const answer = await edit([{ old: "two", new: "2" }], { dryRun: true });
    expect(answer).toContain("@@ -1,2 +1,2 @@\n one\n-two\n+2");
    expect(await readFile(at("a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  test("keeps CRLF, byte order marks and UTF-16", async () => {
    await writeFile(at("a.txt"), "\uFEFFone\r\ntwo\r\n");
    await edit([{ old: "one\ntwo", new: "1\n2" }, { append: "three\n" }]);
    expect(await readFile(at("a.txt"), "utf8")).toBe("\uFEFF1\r\n2\r\nthree\r\n");
    await writeFile(at("a.txt"), Buffer.from("\uFEFFgrün", "utf16le").swap16());
    await edit([{ old: "grün", new: "blau" }]);
    expect(await readFile(at("a.txt"))).toEqual(Buffer.from("\uFEFFblau", "utf16le").swap16());
  });
});

describe("fs_move, fs_copy, fs_delete, fs_mkdir and fs_stat", () => {
  test("move and copy files and trees, and replace only with overwrite", async () => {
    await mkdir(at("dir/sub"), { recursive: true });
    await writeFile(at("dir/sub/a.txt"), "A");
    await writeFile(at("b.txt"), "B");
    expect(await ask("fs_copy", { from: "dir", to: "copy" })).toBe("copied dir to copy, 1 file, 1 bytes");
    expect(await readFile(at("copy/sub/a.txt"), "utf8")).toBe("A");
    for (const to of ["c.txt", "none/c.txt"])
      expect(await ask("fs_copy", { from: "gone.txt", to })).toMatch(/^not_found: gone\.txt: [^\n]+$/);
    expect(await ask("fs_move", { from: "copy/sub/a.txt", to: "none/b.txt" })).toMatch(
      /^not_found: none\S+: .*\nparents: true makes/,
    );
    expect(await ask("fs_move", { from: "dir", to: "dir/new/inside", parents: true })).toMatch(/^not_found/);
    expect(await ask("fs_copy", { from: "gone.txt", to: "new/c.txt", parents: true })).toMatch(/^not_found: gone\.txt/);
    expect(await readdir(at("dir"))).toEqual(["sub"]);
    expect(await ask("fs_move", { from: "copy/sub/a.txt", to: "copy/new/deep/a.txt", parents: true })).toMatch(
      /^moved/,
    );
    expect(await ask("fs_copy", { from: "copy/new", to: "copy/sub/more/new", parents: true })).toMatch(/^copied/);
    expect(await readFile(at("copy/sub/more/new/deep/a.txt"), "utf8")).toBe("A");
    await ask("fs_move", { from: "copy/new/deep/a.txt", to: "copy/sub/a.txt" });
    expect(await ask("fs_move", { from: "copy/sub/a.txt", to: "b.txt" })).toMatch(/^conflict: b\.txt/);
    expect(await ask("fs_move", { from: "copy/sub/a.txt", to: "b.txt", overwrite: true })).toBe(
      "moved copy/sub/a.txt to b.txt, 1 bytes",
    );
    expect(await readFile(at("b.txt"), "utf8")).toBe("A");
    expect(await ask("fs_move", { from: "dir", to: "dir/sub/inside" })).toContain("expected a path outside from");
    expect(await ask("fs_copy", { from: "nope", to: "x" })).toMatch(/^not_found/);
    expect((await readdir(root)).sort()).toEqual(["b.txt", "copy", "dir"]);
  });

  test("delete moves to the trash, from where fs_move restores it, or deletes permanently", async () => {
    await mkdir(at("dir"));
    await writeFile(at("dir/a.txt"), "A");
    const answer = await ask("fs_delete", { path: "dir" });
    const trash = /to (\.trash\/\S+-dir);/.exec(answer)?.[1];
    expect(await ask("fs_move", { from: trash, to: "back" })).toContain("to back");
    expect(await ask("fs_delete", { path: "back", permanent: true })).toBe("removed back for good");
    expect(await ask("fs_list", { ignored: true })).toBe("none");
    expect(await ask("fs_delete", { path: "." })).toContain("a root cannot be deleted");
    const long = "漢".repeat(80);
    await ask("fs_write", { path: long, content: "" });
    expect(await ask("fs_delete", { path: long })).toContain("moved");
  });

  test("mkdir creates parents, and accepts an existing folder", async () => {
    expect(await ask("fs_mkdir", { path: "x/y/z" })).toBe("made x/y/z");
    expect(await ask("fs_mkdir", { path: "x/y/z" })).toBe("x/y/z exists already");
    await writeFile(at("file"), "");
    expect(await ask("fs_mkdir", { path: "file" })).toMatch(/^(invalid_input|conflict|not_found)/);
  });

  test("stat returns type, size, encoding and lines", async () => {
    await writeFile(at("a.txt"), "\uFEFFone\ntwo\n");
    await chmod(at("a.txt"), 0o644);
    expect(await ask("fs_stat", { path: "a.txt" })).toMatch(
      /^path: a\.txt\ntype: file\nsize: 11\nmodified: .*Z\nmode: 0644\nencoding: utf-8 with BOM\nlines: 2$/,
    );
    expect(await ask("fs_stat", { path: "." })).toMatch(/type: directory/);
  });
});
