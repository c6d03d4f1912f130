import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { ConfigurationError, errorText } from "@toolpacks/core";
import { isInside, readRegularFile } from "@toolpacks/files";
import { glob, isDynamicPattern } from "tinyglobby";
import { checkIds, readCaseFile, type CaseFile } from "../case-file.ts";

const maxBytes = 1_048_576;

/** A file that matches a pattern, and the folder that must contain the file's real path. */
interface FoundFile {
  readonly file: string;
  readonly within: string;
}

/**
 * Reads the cases that match patterns, sorted by path. A pattern that is the name of a file is not expanded. READMEs are skipped.
 *
 * The files are sent to a model, so a wildcard follows no link. A link that is named, or that the shell has expanded, is refused when its target
 * is outside of the current folder, or of the folder that the pattern begins with.
 *
 * @throws ConfigurationError for a missing, unreadable or invalid file
 */
export async function findCaseFiles(patterns: readonly string[]): Promise<readonly CaseFile[]> {
  const found = (await Promise.all(patterns.map(filesOf))).flat().filter(({ file }) => !isReadme(file));
  const files = [...new Map(found.map((one) => [one.file, one])).values()];
  files.sort((one, other) => (one.file < other.file ? -1 : 1));
  if (files.length === 0)
    throw new ConfigurationError(`${patterns.join(", ")}: expected a case file, not only a README`);
  const cases = files.map((one) => readCaseFile(readText(one), one.file));
  checkIds(cases);
  return cases;
}

/** Whether a file is a README: a wildcard of the shell matches it too. */
function isReadme(file: string): boolean {
  return /^readme\.md$/i.test(path.basename(file));
}

async function filesOf(pattern: string): Promise<readonly FoundFile[]> {
  const entry = existsSync(pattern) ? statSync(pattern) : undefined;
  if (entry?.isDirectory() === true)
    throw new ConfigurationError(`${pattern}: expected files, such as ${path.join(pattern, "*.md")}`);
  if (entry !== undefined) return [{ file: path.normalize(pattern), within: folderOf(path.dirname(pattern)) }];
  const files = await glob(pattern, { expandDirectories: false, followSymbolicLinks: false });
  if (files.length === 0) throw new ConfigurationError(`${pattern}: no matching file (wildcards follow no links)`);
  const within = folderOf(staticPrefix(pattern));
  return files.map((file) => ({ file: path.normalize(file), within }));
}

/** The part of a pattern before its first wildcard. */
function staticPrefix(pattern: string): string {
  const parts = pattern.split("/");
  const at = parts.findIndex((part) => isDynamicPattern(part));
  return parts.slice(0, at === -1 ? -1 : at).join("/") || (pattern.startsWith("/") ? "/" : ".");
}

/** The folder that must contain the files: the current folder if it contains the start, else the start. */
function folderOf(start: string): string {
  const current = process.cwd();
  const absolute = path.resolve(start);
  return isInside(current, absolute) ? current : absolute;
}

function readText({ file, within }: FoundFile): string {
  try {
    const real = realpathSync(file);
    if (!isInside(realpathSync(within), real))
      throw new Error(`a link leads out of ${within}; name the file that it leads to: ${real}`);
    return readRegularFile(real, maxBytes).toString("utf8");
  } catch (error) {
    throw new ConfigurationError(`${file}: cannot be read (${errorText(error)})`);
  }
}
