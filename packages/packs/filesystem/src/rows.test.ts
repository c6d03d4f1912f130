import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

let root: string;
let wire: Wire;
const written = (name: string) => readFileSync(path.join(root, name), "utf8");

beforeAll(async () => {
  root = await folderOf({
    ".gitignore": "node_modules/\n",
    "packages/a/package.json": JSON.stringify({ name: "a", description: "The | first\none", bin: { a: "./a.js" } }),
    "packages/b/package.json": `\uFEFF${JSON.stringify({ name: "b", "x.y": 1 })}`,
    "packages/c/package.json": "{ broken",
    "packages/a/node_modules/z/package.json": JSON.stringify({ name: "z" }),
    "src/long.ts": "x\n".repeat(30),
    "src/short.ts": "one\ntwo",
    "src/empty.ts": "",
    "src/wide.ts": "x".repeat(5_000),
    "src/data.bin": "\0\n\n\n",
  });
  wire = await onWire({ roots: [root], write: true });
});

afterAll(async () => {
  await wire.close();
  await rm(root, { recursive: true });
});

describe("fs_read with fields", () => {
  const request = { glob: "packages/**/package.json", fields: ["name", "description"] };

  test("shows fields of all JSON files of a glob as one table", async () => {
    expect((await wire.ask("fs_read", request)).split("\n")).toEqual([
      "| path | name | description | error |",
      "| --- | --- | --- | --- |",
      String.raw`| packages/a/package.json | a | The \| first one |  |`,
      "| packages/b/package.json | b |  |  |",
      "| packages/c/package.json |  |  | invalid_input: expected a JSON object |",
    ]);
  });

  test("has a regular row for each file, with null for a missing field", async () => {
    const { items } = await wire.value("fs_read", { ...request, path: "packages", glob: "[ab]/package.json" });
    expect(items).toEqual([
      { path: "packages/a/package.json", name: "a", description: "The | first\none" },
      { path: "packages/b/package.json", name: "b", description: null },
    ]);
  });

  test("finds nested fields, and fields whose names have dots", async () => {
    const paths = ["packages/a/package.json", "packages/b/package.json"];
    expect(await wire.value("fs_read", { paths, fields: ["bin.a", "x.y"] })).toMatchObject({
      items: [
        { "bin.a": "./a.js", "x.y": null },
        { "bin.a": null, "x.y": 1 },
      ],
    });
  });

  test("goes on if a file is missing, has its path if that is named, and refuses a field with the name of the other column", async () => {
    const answer = await wire.ask("fs_read", { paths: ["packages/a/package.json", "none.json"], fields: ["name"] });
    expect(answer).toMatch(/\| none\.json \| {2}\| not_found: /);
    const path = "packages/a/package.json";
    expect((await wire.value("fs_read", { path, fields: ["x.y", "path"] }))["items"]).toEqual([{ path, "x.y": null }]);
    expect(await wire.ask("fs_read", { path, fields: ["error"] })).toMatch(
      /^invalid_input: fields: error is a column of its own/,
    );
  });
});

test("fs_read shows all files of a glob, and says if there are none", async () => {
  expect(await wire.ask("fs_read", { glob: "src/{short,empty}.ts" })).toBe(
    "== src/empty.ts\n\n\n== src/short.ts\none\ntwo",
  );
  expect(await wire.ask("fs_read", { glob: "src/*.md" })).toBe("none: no file matches the glob");
});

test("fs_read of several files says once which lines it shows, and reads no file twice", async () => {
  const paths = ["src/long.ts", "src/short.ts", "src/long.ts"];
  expect(await wire.ask("fs_read", { paths, startLine: 1, endLine: 1 })).toBe(
    "== src/long.ts\nx\n(line 1 of 30)\n\n== src/short.ts\none\n(line 1 of 2)",
  );
  expect(await wire.ask("fs_read", { path: "src/long.ts", paths, tail: 2 })).toBe(
    "== src/long.ts\nx\nx\n(lines 29-30 of 30)\n\n== src/short.ts\none\ntwo",
  );
});

test("fs_list and fs_read say why a glob that repeats the folder finds nothing", async () => {
  const hint = "No hits. A glob is matched below path: write *.ts in place of src/*.ts.";
  expect(await wire.ask("fs_list", { path: "./src/", glob: "src/*.ts" })).toBe(hint);
  expect(await wire.ask("fs_read", { path: "src", glob: "src/*.ts" })).toBe(hint);
  expect(await wire.ask("fs_list", { path: "src", glob: "*.md" })).toBe("none");
});

describe("fs_list with sort", () => {
  test("shows the longest files with their lines, and counts the others", async () => {
    expect(await wire.ask("fs_list", { glob: "src/*", sort: "lines", limit: 2 })).toBe(
      "src/long.ts 30 lines\nsrc/short.ts 2 lines\n(2 of 5)",
    );
    expect(await wire.value("fs_list", { path: "src", sort: "lines" })).toMatchObject({
      items: [{ lines: 30 }, { lines: 2 }, { path: "src/wide.ts", lines: 1, size: 5_000 }, { lines: 0 }, { size: 4 }],
    });
  });

  test("shows the largest files, and the last changed ones", async () => {
    expect(await wire.ask("fs_list", { sort: "size", limit: 1 })).toBe("src/wide.ts 4.9k\n(1 of 9)");
    writeFileSync(path.join(root, "src/short.ts"), "one\ntwo");
    expect(await wire.ask("fs_list", { sort: "modified", glob: "*.ts", limit: 1 })).toMatch(
      /^src\/short\.ts \d{4}-\d\d-\d\dT.*Z\n\(1 of 4\)$/,
    );
  });

  test("leaves out what exclude matches", async () => {
    expect(await wire.ask("fs_list", { path: "src", exclude: "*.ts" })).toBe("src/data.bin 4");
    expect(await wire.ask("fs_list", { path: "src", glob: "*.ts", exclude: "{long,wide}.*", sort: "lines" })).toBe(
      "src/short.ts 2 lines\nsrc/empty.ts 0 lines",
    );
  });

  test("has one page", async () => {
    expect(await wire.ask("fs_list", { sort: "size", cursor: "x" })).toMatch(
      /^invalid_input: cursor: a sorted list has/,
    );
  });
});

describe("fs_write writes rows of another result", () => {
  test("as a Markdown table", async () => {
    const { items } = await wire.value("fs_read", {
      glob: "packages/[ab]/package.json",
      fields: ["name", "description"],
    });
    const args = { path: "notes/packages.md", parents: true, columns: ["name", "description"] };
    expect(await wire.ask("fs_write", { ...args, content: items })).toBe(
      `created notes/packages.md, 71 bytes, 2 rows, all written; it begins:\n${written("notes/packages.md").trimEnd()}`,
    );
    expect(written("notes/packages.md")).toBe(
      `| name | description |\n| --- | --- |\n${String.raw`| a | The \| first one |`}\n| b |  |\n`,
    );
  });

  const hits = [
    {
      path: "a.ts",
      lines: [
        { line: 1, text: 'say "hi"' },
        { line: 2, text: "x, y" },
      ],
    },
    { path: "b.ts", lines: [{ line: 7, text: "z" }] },
  ];

  test.each([
    [
      "table.md",
      '| path | line | text |\n| --- | --- | --- |\n| a.ts | 1 | say "hi" |\n| a.ts | 2 | x, y |\n| b.ts | 7 | z |\n',
    ],
    ["table.csv", 'path,line,text\na.ts,1,"say ""hi"""\na.ts,2,"x, y"\nb.ts,7,z\n'],
    ["hits.json", `${JSON.stringify(hits, undefined, 2)}\n`],
    ["hits.jsonl", hits.map((hit) => `${JSON.stringify(hit)}\n`).join("")],
  ])("as %s, one row for each hit of a file", async (name, text) => {
    await wire.ask("fs_write", { path: name, content: hits });
    expect(written(name)).toBe(text);
  });

  test("as a list by a template, and shows its first lines", async () => {
    const content = [...hits, { path: "c.ts", lines: [{ line: 9, text: "  two\nlines  " }] }, { path: "d.ts" }];
    const args = { path: "hits.md", content, template: "- {path}:{line} `{text}`" };
    expect(await wire.ask("fs_write", args)).toBe(
      'created hits.md, 81 bytes, 4 rows, all written; it begins:\n- a.ts:1 `say "hi"`\n- a.ts:2 `x, y`\n- b.ts:7 `z`\n- c.ts:9 `two lines`\n… (5 lines)',
    );
    expect(written("hits.md")).toBe(
      '- a.ts:1 `say "hi"`\n- a.ts:2 `x, y`\n- b.ts:7 `z`\n- c.ts:9 `two lines`\n- d.ts: ``\n',
    );
  });

  test.each([
    [{ template: "- {pth}" }, 'template: unknown field "pth" (did you mean "path"?)\nThe rows have path, line, text.'],
    [{ columns: ["path", "txt"] }, /^invalid_input: columns: unknown field "txt" \(did you mean "text"\?\)/],
    [{ template: "- path" }, "template: expected a field in braces, such as - {path}: {text}"],
    [{ template: "{path}", columns: ["path"] }, "template: expected without columns, it names the fields itself"],
    [{ template: "{path}", content: "a" }, "template: expected with a content of rows, received a text"],
    [{ template: "{path}", content: ["a"] }, /content: expected a text, rows/],
  ])("but not with %j", async (args, problem) => {
    const answer = await wire.ask("fs_write", { path: "refused.md", content: hits, ...args });
    expect(answer).toMatch(typeof problem === "string" ? `invalid_input: ${problem}` : problem);
    expect(() => written("refused.md")).toThrow("ENOENT");
  });

  test("that are lists of values, with the names of columns", async () => {
    const content = [
      ["Ada", [1, 2]],
      ["Bo", null],
    ];
    const args = { columns: ["name", "scores"], content };
    await wire.ask("fs_write", { path: "lists.md", ...args });
    expect(written("lists.md")).toBe("| name | scores |\n| --- | --- |\n| Ada | [1,2] |\n| Bo |  |\n");
    await wire.ask("fs_write", { path: "lists.jsonl", ...args });
    expect(written("lists.jsonl")).toBe('{"name":"Ada","scores":[1,2]}\n{"name":"Bo","scores":null}\n');
    expect(await wire.ask("fs_write", { path: "odd.md", ...args, content: [["Ada", 1], ["Bo"]] })).toBe(
      "invalid_input: content[1]: expected 2 values, one for each of columns, received 1",
    );
  });

  test("as lines, if the values are texts", async () => {
    await wire.ask("fs_write", { path: "lines.txt", content: ["one", 2] });
    expect(written("lines.txt")).toBe("one\n2\n");
  });

  test("but not rows mixed with texts, or columns of a text", async () => {
    expect(await wire.ask("fs_write", { path: "mixed.md", content: [{ a: 1 }, "b"] })).toBe(
      "invalid_input: content: expected a text, rows (objects, lists), or lines (texts, numbers)",
    );
    expect(await wire.ask("fs_write", { path: "mixed.md", content: "text", columns: ["a"] })).toMatch(
      /^invalid_input: columns: /,
    );
  });

  test("fs_edit appends rows on a new line", async () => {
    writeFileSync(path.join(root, "log.md"), "# Log");
    expect(await wire.ask("fs_edit", { path: "log.md", edits: [{ append: [{ id: 1 }] }] })).toContain("+| 1 |");
    expect(written("log.md")).toBe("# Log\n| id |\n| --- |\n| 1 |\n");
  });
});
