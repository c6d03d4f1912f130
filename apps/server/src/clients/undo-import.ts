import { existsSync, readFileSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { errorText } from "@toolpacks/core";
import { clientFiles } from "./client-files.ts";
import { applyJsonEdits, hashOf, readText, removeUnfinished, replaceFile, valueAt } from "./json-file.ts";
import { readRecord, writeRecord, type Change } from "./import-record.ts";

/**
 * Undoes all imports, newest first. An unchanged file is restored from its backup. In a file that was changed since, only the import's own
 * edits are undone. A change that cannot be undone is reported and stays recorded. Our config file stays while a client refers to it.
 *
 * @returns whether all changes are undone
 */
export function undoImports(report: (line: string) => void): boolean {
  const changes = readRecord();
  const newest = changes.toReversed();
  const left: Change[] = [];
  const attempt = (change: Change, undo: () => string) => {
    try {
      removeUnfinished(change.file);
      report(undo());
    } catch (error) {
      left.push(change);
      report(`${change.file} is left as it is: ${errorText(error)}`);
    }
  };
  for (const change of newest.filter(({ config }) => config !== undefined)) attempt(change, () => undoChange(change));
  for (const change of newest.filter(({ config }) => config === undefined)) {
    attempt(change, () => {
      const referring = filesReferringTo(change.file, changes);
      if (referring.length > 0) throw new Error(`${referring.join(", ")} still starts toolpacks with it`);
      return undoChange(change);
    });
  }
  writeRecord(changes.filter((change) => left.includes(change)));
  if (left.length > 0) report("what is left can be taken back with --undo, once that is fixed");
  return left.length === 0;
}

/** The changed files and client files that contain the path of our config file. */
function filesReferringTo(config: string, changes: readonly Change[]): readonly string[] {
  const files = new Set(
    [...changes, ...clientFiles(process.cwd()).map(({ path: file }) => ({ file }))].map((one) => one.file),
  );
  files.delete(config);
  return [...files].filter((file) => textOrEmpty(file).includes(JSON.stringify(config)));
}

/** A file that is not a regular file, or that is not readable, starts nothing. */
function textOrEmpty(file: string): string {
  try {
    return readText(file);
  } catch {
    return "";
  }
}

function undoChange(change: Change): string {
  const { file, backup, hash, hashBefore } = change;
  if (hashBefore !== undefined && existsSync(file) && hashOf(file) === hashBefore) {
    // The import was killed before it replaced the file, or an undo after it restored the file.
    if (backup !== undefined) rmSync(backup, { force: true });
    return `${file} is what it was`;
  }
  const isUnchanged = !existsSync(file) || hashOf(file) === hash;
  if (isUnchanged && backup === undefined) {
    rmSync(file, { force: true });
    return `${file} is gone`;
  }
  if (isUnchanged && backup !== undefined && existsSync(backup)) {
    replaceFile(file, readFileSync(backup, "utf8"));
    rmSync(backup);
    return `${file} is what it was`;
  }
  return undoEdits(change);
}

/** Undoes the edits of an import in a file that a client or the user has changed since. */
function undoEdits({ file, backup, config, edits }: Change): string {
  const kept: string[] = [];
  let text = readText(file);
  for (const edit of edits) {
    const now = valueAt(file, edit.at);
    const then = restoredValue(now, edit, config);
    if (isDeepStrictEqual(then, now)) {
      if (!isDeepStrictEqual(now, edit.before)) kept.push(edit.at.join("."));
    } else text = applyJsonEdits(text, [{ at: edit.at, value: then }]);
  }
  if (backup === undefined && kept.length === 0 && isEmpty(text)) {
    rmSync(file);
    return `${file} is gone`;
  }
  replaceFile(file, text);
  const others = kept.length === 0 ? "" : `; ${kept.join(", ")} was changed since and stays`;
  const copy = backup !== undefined && existsSync(backup) ? `; all that it was: ${backup}` : "";
  return `${file}: what the import had changed is what it was, and the rest as it is now${others}${copy}`;
}

/** The value after the undo: the old value, or the current one if it was changed since and does not refer to our config file. */
function restoredValue(now: unknown, { before, after }: Change["edits"][number], config: string | undefined): unknown {
  if (isDeepStrictEqual(now, after)) return before;
  if (config === undefined || !JSON.stringify(now ?? null).includes(JSON.stringify(config))) return now;
  return Array.isArray(now) && before !== undefined ? withoutConfig(now, config) : before;
}

/** Removes `--config <file>` from an entry's arguments, and keeps those that were added since. */
function withoutConfig(args: readonly unknown[], config: string): readonly unknown[] {
  const at = args.indexOf(config);
  return args.filter((_, index) => index !== at && index !== at - 1);
}

function isEmpty(text: string): boolean {
  return /^\s*\{\s*("mcpServers"\s*:\s*\{\s*\}\s*)?\}\s*$/.test(text);
}
