import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const text = readFileSync(path.join(root, "docs/security.md"), "utf8");
const promises = text.split("\n").filter((line) => /^\| (?!promise|---)/.test(line));
const cited = promises.map((line) => [line, [...line.matchAll(/`([^`]+\.test\.ts)`: "([^"]+)"/g)]] as const);

test.each(cited)("%s names tests that exist", (_, found) => {
  expect(found.length).toBeGreaterThan(0);
  for (const [, file = "", title = ""] of found) {
    const source = path.join(root, file);
    expect([file, existsSync(source)]).toEqual([file, true]);
    expect(readFileSync(source, "utf8")).toContain(title);
  }
});

test("there are promises", () => {
  expect(cited.length).toBeGreaterThan(30);
});
