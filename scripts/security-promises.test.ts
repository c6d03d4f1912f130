import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const lines = readFileSync(path.join(root, "docs/security.md"), "utf8").trimEnd().split("\n");
const promises = readPromises();

/** Each promise as one line. The last two sections have none. */
function readPromises(): string[] {
  const text = lines.join("\n").split("\n## What is no longer promised\n")[0] ?? "";
  return [...text.matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([bullet]) => bullet.replace(/\n */g, " "));
}

/** Files of tests with this name: the folder of a package, and the end of a path below its `src`. Tests that start processes may be in a file of their own. */
function filesOf(name: string): string[] {
  const [folder = "", ...rest] = name.replace(/\.process$/, "").split("/");
  return globSync(`{apps,packages,packages/packs,packages/stores}/${folder}/src/**/${rest.at(-1)}{,.process}.test.ts`, {
    cwd: root,
  }).filter((file) => file.replace(".process", "").endsWith(`/${rest.join("/")}.test.ts`));
}

test.each(promises)("%s", (promise) => {
  const cited = [...promise.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9.-]+)+)`: ("[^"]+"(?:, "[^"]+")*)/g)];
  expect(cited.length).toBeGreaterThan(0);
  for (const [, name = "", titles = ""] of cited) {
    const files = filesOf(name);
    expect([name, new Set(files.map((file) => file.replace(".process", ""))).size]).toEqual([name, 1]);
    const source = files.map((file) => readFileSync(path.join(root, file), "utf8")).join("\n");
    for (const [, title = ""] of titles.matchAll(/"([^"]+)"/g)) expect(source).toContain(title);
  }
});

test("there are promises, on few and short lines", () => {
  expect(promises.length).toBeGreaterThan(100);
  expect(lines.length).toBeLessThanOrEqual(400);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});
