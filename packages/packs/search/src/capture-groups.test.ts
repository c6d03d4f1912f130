import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./pack.fixture.ts";

let folder: string;
let wire: Wire;

beforeAll(async () => {
  folder = await folderOf({
    "a.txt": "x=1 y=2\nx=3\nend\n",
    "b.json": '{\n  "name": "b",\n  "private": true,\n  "version": "1.0.0"\n}\n',
    "c.json": '{ "name": "c", "version": "2.0.0" }\n',
    "long.txt": `long ${"é".repeat(3_000)}\n`,
    "many.txt": `${"m1 ".repeat(300)}\n`,
    "classes.txt": "a(b)c [d] e\n",
  });
  wire = await onWire({ roots: [folder] });
});

afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true });
});

interface Line {
  readonly line: number;
  readonly text: string;
  readonly groups?: Readonly<Record<string, string>>;
}

const linesOf = async (args: object) => {
  const { items } = await wire.value("search_text", { limit: 1_000, ...args });
  return items.flatMap((item) => item["lines"] as Line[]);
};
const groupsOf = async (args: object) => (await linesOf(args)).map(({ groups }) => groups);

test("each match has its groups by number and by name, several matches of a line too", async () => {
  expect(await groupsOf({ pattern: "(?<key>[xy])=([0-9])", path: "a.txt" })).toEqual([
    { "1": "x", key: "x", "2": "1" },
    { "1": "y", key: "y", "2": "2" },
    { "1": "x", key: "x", "2": "3" },
  ]);
  expect(await wire.text("search_text", { pattern: "(?<key>[xy])=([0-9])", path: "a.txt" })).toBe(
    "a.txt\n1: x=1 y=2\n2: x=3",
  );
});

test("a match over lines counts once, with its lines in one text, and its groups", async () => {
  const request = {
    pattern: '(?s)"name": "(?P<name>[^"]+)".*?"version": "(?<version>[^"]+)"',
    multiline: true,
    globs: ["*.json"],
  };
  const text = '  "name": "b",\n  "private": true,\n  "version": "1.0.0"';
  const [b, c] = [
    { "1": "b", name: "b", "2": "1.0.0", version: "1.0.0" },
    { "1": "c", name: "c", "2": "2.0.0", version: "2.0.0" },
  ];
  expect(await linesOf(request)).toEqual([
    { line: 2, text, groups: b },
    { line: 1, text: '{ "name": "c", "version": "2.0.0" }', groups: c },
  ]);
  expect(await wire.text("search_text", request)).toBe(
    'b.json\n2:   "name": "b",\n3:   "private": true,\n4:   "version": "1.0.0"\nc.json\n1: { "name": "c", "version": "2.0.0" }',
  );
  const first = await wire.value("search_text", { ...request, limit: 1 });
  expect(first).toMatchObject({ total: 2, items: [{ path: "b.json", lines: [{ groups: b }] }] });
  const second = await wire.value("search_text", { ...request, limit: 1, cursor: first.cursor });
  expect(second.items).toMatchObject([{ path: "c.json", lines: [{ groups: c }] }]);
});

test("a group without a text is left out, so that alternatives are told apart", async () => {
  expect(await groupsOf({ pattern: '"name": "(?<name>[^"]+)|"version": "(?<version>[^"]*)', path: "c.json" })).toEqual([
    { "1": "c", name: "c" },
    { "2": "2.0.0", version: "2.0.0" },
  ]);
});

test.each([
  ["no group", { pattern: "e$" }, undefined],
  ["a group that captures nothing", { pattern: "(?:e)$|(?i)E$" }, undefined],
  ["a literal", { pattern: "(b)", literal: true }, undefined],
  ["parentheses in classes and escaped ones", { pattern: String.raw`[(]([^])(]+)\)c [([:punct:]]` }, { "1": "b" }],
  ["a group in a group", { pattern: String.raw`\[((d)\]) ` }, { "1": "d]", "2": "d" }],
  ["a whole word", { pattern: "(c)", word: true }, { "1": "c" }],
])("%s", async (_, args, groups) => {
  expect(await groupsOf({ ...args, path: "classes.txt" })).toEqual([groups]);
});

test("long groups are cut, and of a line the first 100 matches are given", async () => {
  expect(await groupsOf({ pattern: "(é+)" })).toEqual([{ "1": `${"é".repeat(1_000)}…` }]);
  const matches = await groupsOf({ pattern: "m(1)" });
  expect(matches).toHaveLength(100);
  expect(matches.at(-1)).toEqual({ "1": "1" });
});
