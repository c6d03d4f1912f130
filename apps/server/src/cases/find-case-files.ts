import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { checkIds, readCaseFile, type CaseFile } from "@toolpacks/cases";
import { glob } from "tinyglobby";
import { ConfigurationError } from "../configuration-error.ts";

/**
 * Reads the cases that patterns name, in the order of their paths. A pattern that is a file's name is that file; a README is none.
 *
 * @throws CaseError or ConfigurationError before any model is asked
 */
export async function findCaseFiles(patterns: readonly string[]): Promise<readonly CaseFile[]> {
  const found = await Promise.all(patterns.map(filesOf));
  const files = [...new Set(found.flat())].filter((file) => !isReadme(file)).sort();
  if (files.length === 0) throw new ConfigurationError(`${patterns.join(", ")}: expected another file than a README`);
  const cases = await Promise.all(files.map(async (file) => readCaseFile(await readText(file), file)));
  checkIds(cases);
  return cases;
}

/** It tells people of the cases around it, and a shell puts it among them. */
function isReadme(file: string): boolean {
  return /^readme\.md$/i.test(path.basename(file));
}

async function filesOf(pattern: string): Promise<readonly string[]> {
  const entry = await stat(pattern).catch(() => undefined);
  if (entry?.isFile() === true) return [path.normalize(pattern)];
  if (entry?.isDirectory() === true)
    throw new ConfigurationError(`${pattern}: expected files, such as ${path.join(pattern, "*.md")}`);
  const files = await glob(pattern, { expandDirectories: false });
  if (files.length === 0) throw new ConfigurationError(`${pattern}: no file is there`);
  return files.map((file) => path.normalize(file));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigurationError(`${file}: cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}
