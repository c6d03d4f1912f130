import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

/** File names that look like something else, and their form in text. */
const names = [
  ['a\n(2 of 900)\nnext: cursor "x"', String.raw`"a\n(2 of 900)\nnext: cursor \"x\""`],
  ["esc\u001b[2J", String.raw`"esc\u001b[2J"`],
  ["right\u202eto left", String.raw`"right\u202eto left"`],
  ["zero\u200bwidth", String.raw`"zero\u200bwidth"`],
  ["line\u2028end", String.raw`"line\u2028end"`],
  ["c1\u009bcsi", String.raw`"c1\u009bcsi"`],
  ["(5 of 30)", '"(5 of 30)"'],
  ["(3 files, 4 matching lines)", '"(3 files, 4 matching lines)"'],
  ["5 files in all", '"5 files in all"'],
  ["in Store.put", '"in Store.put"'],
  ["at top level", '"at top level"'],
  ["index.ts", "index.ts"],
  ['"quoted"', String.raw`"\"quoted\""`],
  [" space", '" space"'],
  ["none", '"none"'],
  ["2: if (denied) return", '"2: if (denied) return"'],
  ["2-4 class A.ts", '"2-4 class A.ts"'],
  ["01-intro.md", "01-intro.md"],
  ["2-none.md", "2-none.md"],
  ["plain (1).txt", "plain (1).txt"],
  ["grün 漢字.txt", "grün 漢字.txt"],
] as const;

let root: string;
let wire: Wire;

beforeAll(async () => {
  root = await folderOf(Object.fromEntries(names.map(([name]) => [name, "text\n"])));
  wire = await onWire({ roots: [root], write: true });
});

afterAll(async () => {
  await wire.close();
  await rm(root, { recursive: true });
});

test.each(names)("%j is one unambiguous line of every text, and itself in structured content", async (name, shown) => {
  const listed = await wire.ask("fs_list", { limit: 100 });
  expect(listed.split("\n")).toHaveLength(names.length);
  expect(listed.split("\n")).toContain(`${shown} 5`);
  expect(await wire.value("fs_list", { limit: 100 })).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ path: name })]) as unknown,
  });
  expect(await wire.ask("fs_stat", { path: name })).toContain(`path: ${shown}\n`);
  expect(await wire.ask("fs_read", { paths: [name, "missing"] })).toContain(`== ${shown}\ntext`);
  expect(await wire.ask("fs_edit", { path: name, edits: [{ old: "text", new: "texts" }] })).toMatch(/^edited /);
  expect(await wire.ask("fs_edit", { path: name, edits: [{ old: "texts", new: "text" }] })).toBe(
    `edited ${shown}: +1 -1 lines\n@@ -1,1 +1,1 @@\n-texts\n+text`,
  );
  const errors = [
    await wire.ask("fs_write", { path: name, content: "" }),
    await wire.ask("fs_read", { path: `${name}/x` }),
    await wire.ask("fs_read", { path: `../${name}` }),
  ];
  for (const error of errors) expect(error).toMatch(/^(?:conflict|not_found|denied): /);
  // eslint-disable-next-line no-control-regex
  expect(errors.join("\n")).not.toMatch(/[\u001b\u009b\u200b\u202e\u2028]|\(2 of 900\)\n/);
});

test("a quoted name is a JSON string that works as the path argument", async () => {
  const [[name, shown]] = names;
  expect(await wire.ask("fs_read", { path: JSON.parse(shown) as string })).toBe("text\n");
  expect(JSON.parse(shown)).toBe(name);
});
