import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "./code-blocks.ts";

const packages = globSync("packages/{*,packs/*,stores/*}/src/index.ts", { cwd: root })
  .map((file) => path.dirname(path.dirname(file)))
  .filter((folder) => existsSync(path.join(root, folder, "README.md")));

test.each(packages)("the README of %s has all values that it exports in its tables, and no others", (folder) => {
  const source = readFileSync(path.join(root, folder, "src/index.ts"), "utf8");
  const readme = readFileSync(path.join(root, folder, "README.md"), "utf8");
  const tables = [...readme.matchAll(/^\| export .*\n(?:\|.*\n)+/gm)].join("");
  const named = [...tables.matchAll(/^\| ([^|]*)/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`([a-zA-Z]\w*)/g)]);
  const missing = new Set(valuesOf(source));
  for (const [, name = ""] of named) missing.delete(name);
  expect([...missing]).toEqual([]);
  for (const [, name = ""] of named) expect(source).toMatch(new RegExp(`\\b${name}\\b`));
});

/** The names of the functions, classes and constants that an index exports. */
function valuesOf(source: string): readonly string[] {
  const lists = [...source.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = ""]) => list.split(","));
  const named = lists.map((one) => one.trim()).filter((one) => one !== "" && !one.startsWith("type "));
  const own = [...source.matchAll(/export (?:async )?(?:function|const|class) (\w+)/g)].map(([, name = ""]) => name);
  return [...named.map((one) => one.split(" as ").at(-1) ?? ""), ...own];
}
