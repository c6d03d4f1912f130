import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const text = readFileSync(path.join(root, "docs/security.md"), "utf8");
const promises = text.split("\n").filter((line) => /^\| (?!promise|---)/.test(line));
const cited = promises.map((line) => [line, /`([^`]+\.test\.ts)`: "([^"]+)"/.exec(line)] as const);

test.each(cited)("%s names a test that exists", (_, found) => {
  const [, file = "", title = ""] = found ?? [];
  const source = path.join(root, file);
  expect(existsSync(source) && file !== "").toBe(true);
  expect(readFileSync(source, "utf8")).toContain(title);
});

test("there are promises", () => {
  expect(cited.length).toBeGreaterThan(30);
});
