import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { writeEntry } from "./entry-content.ts";
import { createRoots, type RootEntry } from "./roots.ts";

test("writeEntry writes only an entry that was opened to change it, so that protected names are checked", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "roots-"));
  const roots = createRoots([folder]);
  const write = (place: RootEntry) => writeEntry(place, "text", { existing: undefined });
  await expect(roots.at(".npmrc", write)).rejects.toThrow('{ access: "write" }');
  await expect(roots.at(".npmrc", write, { access: "write" })).rejects.toThrow("protected as .npmrc");
  expect(existsSync(path.join(folder, ".npmrc"))).toBe(false);
  await roots.at("a.md", write, { access: "write" });
  expect(readFileSync(path.join(folder, "a.md"), "utf8")).toBe("text");
});

test("createRoots needs a folder", () => {
  expect(() => createRoots([])).toThrow("expected at least one directory");
});
