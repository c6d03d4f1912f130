import { escaped, line, query, type Question } from "./result.ts";

/** A folder or file, as the official server for files writes it in `directory_tree`. */
export interface TreeEntry {
  readonly name: string;
  readonly type: string;
  readonly children?: readonly TreeEntry[];
}

/** Five questions about a tree of files. */
export function treeQuestions(tree: readonly TreeEntry[]): Question[] {
  const all = [...entriesIn(tree)];
  const files = all.filter(({ type }) => type === "file");
  const top = tree.filter(({ type }) => type === "directory").map(({ name }) => name);
  const folder = tree.find(({ children }) => (children?.length ?? 0) > 1) ?? { name: "", children: [] };
  const tests = files.filter(({ name }) => name.endsWith(".test.ts"));
  const inside = folder.children?.map(({ name }) => name) ?? [];
  const nested = (where: string) =>
    query(
      `WITH f AS (SELECT name, type FROM t UNION ALL SELECT value->>'name', value->>'type' FROM t, json_tree(t.children) WHERE json_tree.type = 'object') SELECT count(*) FROM f WHERE ${where}`,
    );
  return [
    {
      ask: "Which folders are at the top?",
      expected: new RegExp(top.map((name) => `^"?${escaped(name)}"?$`).join("[^]*"), "m"),
      read: { mode: "pick", pattern: "$[?@.type == 'directory'].name" },
    },
    { ask: "How many files?", expected: line(files.length), read: nested("type = 'file'") },
    { ask: "How many tests?", expected: line(tests.length), read: nested("name LIKE '%.test.ts'") },
    {
      ask: `What is in ${folder.name}?`,
      expected: new RegExp(inside.map((name) => `^"?${escaped(name)}"?$`).join("[^]*"), "m"),
      read: { mode: "pick", pattern: `$[?@.name == '${folder.name}'].children[*].name` },
    },
    {
      ask: "How many folders and files are at the top?",
      expected: line(tree.length),
      read: query("SELECT count(*) FROM t"),
    },
  ];
}

function* entriesIn(tree: readonly TreeEntry[]): Generator<TreeEntry> {
  for (const entry of tree) {
    yield entry;
    yield* entriesIn(entry.children ?? []);
  }
}
