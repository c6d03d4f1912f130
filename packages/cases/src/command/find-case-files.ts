import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { readRegularFile } from "@toolpacks/core/bounded-io";
import { glob, isDynamicPattern } from "tinyglobby";
import { CaseError } from "../case-error.ts";
import { checkIds, readCaseFile, type CaseFile } from "../case-file.ts";

const maxBytes = 1_048_576;

/** A file that a pattern names, and the folder that it must lie in, behind links too. */
interface FoundFile {
  readonly file: string;
  readonly within: string;
}

/**
 * Reads the cases that patterns name, in the order of their paths. A pattern that is a file's name is that file; a README is none.
 *
 * What is read is sent to a model. A wildcard therefore follows no link. A link that is named, or that the shell has put in place of a wildcard, is refused
 * where it leads out of the current folder, or out of another folder that the pattern begins with.
 *
 * @throws CaseError before any model is asked
 */
export async function findCaseFiles(patterns: readonly string[]): Promise<readonly CaseFile[]> {
  const found = (await Promise.all(patterns.map(filesOf))).flat().filter(({ file }) => !isReadme(file));
  const files = [...new Map(found.map((one) => [one.file, one])).values()];
  files.sort((one, other) => (one.file < other.file ? -1 : 1));
  if (files.length === 0) throw new CaseError(`${patterns.join(", ")}: expected another file than a README`);
  const cases = files.map((one) => readCaseFile(readText(one), one.file));
  checkIds(cases);
  return cases;
}

/** It tells people of the cases around it, and a shell puts it among them. */
function isReadme(file: string): boolean {
  return /^readme\.md$/i.test(path.basename(file));
}

async function filesOf(pattern: string): Promise<readonly FoundFile[]> {
  const entry = existsSync(pattern) ? statSync(pattern) : undefined;
  if (entry?.isDirectory() === true)
    throw new CaseError(`${pattern}: expected files, such as ${path.join(pattern, "*.md")}`);
  if (entry !== undefined) return [{ file: path.normalize(pattern), within: folderOf(path.dirname(pattern)) }];
  const files = await glob(pattern, { expandDirectories: false, followSymbolicLinks: false });
  if (files.length === 0) throw new CaseError(`${pattern}: no file is there (wildcards follow no links)`);
  const within = folderOf(startOf(pattern));
  return files.map((file) => ({ file: path.normalize(file), within }));
}

/** The part of a pattern before its first wildcard. */
function startOf(pattern: string): string {
  const parts = pattern.split("/");
  const at = parts.findIndex((part) => isDynamicPattern(part));
  return parts.slice(0, at === -1 ? -1 : at).join("/") || (pattern.startsWith("/") ? "/" : ".");
}

/** The current folder for what begins in it; the folder itself for what begins elsewhere. */
function folderOf(start: string): string {
  const here = process.cwd();
  const begin = path.resolve(start);
  return isInside(begin, here) ? here : begin;
}

function isInside(place: string, folder: string): boolean {
  const way = path.relative(folder, place);
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

function readText({ file, within }: FoundFile): string {
  try {
    const real = realpathSync(file);
    if (!isInside(real, realpathSync(within))) {
      throw new Error(`a link leads out of ${within}; name the file that it leads to: ${real}`);
    }
    return readRegularFile(real, maxBytes).toString("utf8");
  } catch (error) {
    throw new CaseError(`${file}: cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}
