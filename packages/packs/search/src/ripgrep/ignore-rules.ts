import { existsSync, readSync } from "node:fs";
import path from "node:path";
import { openFound, unlistedNames } from "@toolpacks/files";
import type { Target } from "../target.ts";
import { ignoreLines, type Budget, type IgnorePlace } from "./ignore-lines.ts";
import { pathRecords } from "./path-records.ts";
import { writeRuleFile, type RuleFile } from "./rule-file.ts";
import { runRipgrep } from "./run-ripgrep.ts";

/** The names of ignore files, by rising precedence. Of files with the same name, the one in the deepest folder decides. */
const names = [".gitignore", ".ignore", ".rgignore"] as const;
const excludeName = ".git/info/exclude";

/** Maximum size of all rules. ripgrep needs about 400 bytes of memory for each byte of rules. */
const maxRuleBytes = 512 * 1024;

/** Limits the time that rewriting the rules of one search takes. */
const maxSteps = 500_000;

interface IgnoreFile {
  /** The real path of the file's folder. */
  readonly folder: string;
  readonly place: IgnorePlace;
}

/**
 * Combines the rules of all ignore files for a directory in one file for ripgrep. It reads only regular files and follows no link: an ignore file may
 * link to a file outside the roots, or to an endless device.
 *
 * @returns a file that the caller closes; undefined if there are no rules
 */
export async function ignoreRules(target: Target, signal: AbortSignal): Promise<RuleFile | undefined> {
  const { real } = target;
  if (real === undefined) return undefined;
  const own: IgnoreFile = { folder: real, place: { below: [] } };
  const above = [...foldersAbove(target), own];
  const budget: Budget = { steps: maxSteps };
  const outer = rulesOf(above, budget);
  // Ignored folders, such as node_modules, are not searched for more rules.
  const file = outer === "" ? undefined : await writeRuleFile(outer);
  const below = await foldersBelow(target, { ignoreRules: file, signal }).catch(async (error: unknown) => {
    await file?.close();
    throw error;
  });
  if (below.length === 0) return file;
  await file?.close();
  const rules = rulesOf([...above, ...below], budget);
  return rules === "" ? undefined : await writeRuleFile(rules);
}

/** Lists the folders above a directory, outermost first, up to its repository, or to its root if it is in no repository. */
function foldersAbove({ real = "/", root = real }: Target): readonly IgnoreFile[] {
  const folders: IgnoreFile[] = [];
  const above: string[] = [];
  let inRoot = 0;
  for (let folder = real; ; folder = path.dirname(folder)) {
    if (folder !== real) folders.unshift({ folder, place: { above: [...above] } });
    if (folder === root) inRoot = folders.length;
    if (existsSync(path.join(folder, ".git"))) return folders;
    if (path.dirname(folder) === folder) return folders.slice(folders.length - inRoot);
    above.unshift(path.basename(folder));
  }
}

/** Lists the folders with ignore files below a directory, outermost first. */
async function foldersBelow(
  target: Target,
  { ignoreRules: rules, signal }: { readonly ignoreRules: RuleFile | undefined; readonly signal: AbortSignal },
): Promise<readonly IgnoreFile[]> {
  const args = [
    "--files",
    "--null",
    "--hidden",
    ...names.map((name) => `--glob=${name}`),
    ...[...unlistedNames].map((name) => `--glob=!${name}`),
    "--",
    target.argument,
  ];
  const folders = new Set<string>();
  for await (const batch of pathRecords(runRipgrep({ args, cwd: target.cwd, ignoreRules: rules, signal }))) {
    for (const one of batch) folders.add(path.posix.dirname(target.below(one.path)));
  }
  folders.delete(".");
  return [...folders]
    .map((folder) => folder.split("/"))
    .toSorted((a, b) => a.length - b.length || (a.join("/") < b.join("/") ? -1 : 1))
    .map((below) => ({ folder: path.join(target.real ?? "/", ...below), place: { below } }));
}

/** Reads the rules of several folders, by rising precedence. Rules of a file that exceeds a limit are left out. */
function rulesOf(folders: readonly IgnoreFile[], budget: Budget): string {
  let rules = "";
  for (const name of [excludeName, ...names]) {
    for (const { folder, place } of folders) {
      if (budget.steps < 0) return rules;
      const maxLength = maxRuleBytes - rules.length;
      const text = readRules(path.join(folder, name), maxLength);
      if (text !== "") rules += ignoreLines(text, place, { maxLength, budget }) ?? "";
    }
  }
  return rules;
}

function readRules(real: string, maxBytes: number): string {
  const text = openFound(real, (descriptor, { size }) => {
    if (size > maxBytes) return "";
    const bytes = Buffer.alloc(size);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, size, 0));
  });
  return text ?? "";
}
