import { existsSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { errorText } from "@toolpacks/core";
import { readRecord, writeRecord, type Change, type ChangingCommand } from "./change-record.ts";
import { editText, parseText, valueAt } from "./config-text.ts";
import { foldersOf } from "./client-folders.ts";
import { clientFiles } from "./known-clients.ts";
import { hashOf, readBytes, readText, removeTemporaryFiles, replaceFile, textOf, withMarkOf } from "./user-file.ts";

/**
 * Undoes all changes of a command, newest first: restores each file from its backup, byte for byte. In a file that was changed since then,
 * only recorded values are taken back. Without them, the file stays as it is: the report says why and what the user can do, and its change stays recorded. Our config file stays while a client needs it.
 *
 * @returns whether every file is what it was before the changes
 */
export function undoChanges(by: ChangingCommand, report: (line: string) => void): boolean {
  let left = readRecord();
  let isComplete = true;
  const refused = new Set<string>();
  const newest = left.filter((change) => change.by === by).toReversed();
  if (newest.length === 0) report(`there is nothing to undo: toolpacks ${by} has changed no file`);
  const ofClients = newest.filter(({ config }) => config !== undefined);
  const ofOurConfig = newest.filter(({ config }) => config === undefined);
  for (const change of [...ofClients, ...ofOurConfig]) {
    // An older change of a file can be undone only after the newer one.
    if (refused.has(change.file)) continue;
    try {
      requireNewest(change, left);
      if (change.config === undefined && by === "import-clients") requireUnused(change, left);
      const { line, isKept } = undoChange(change);
      report(line);
      isComplete &&= !isKept;
      left = left.filter((one) => one !== change);
      writeRecord(left);
    } catch (error) {
      refused.add(change.file);
      report(`${change.file}: not restored: ${errorText(error)}`);
    }
  }
  writeRecord(left);
  const isDone = left.every((change) => change.by !== by);
  if (!isDone) report(`Then run toolpacks ${by} --undo again.`);
  return isComplete && isDone;
}

/** @throws Error if another command changed the file later: its backup has this change */
function requireNewest(change: Change, left: readonly Change[]): void {
  const later = left.slice(left.indexOf(change) + 1).find(({ by, file }) => by !== change.by && file === change.file);
  if (later !== undefined)
    throw new Error(`it was changed later by ${later.by}. Run toolpacks ${later.by} --undo first.`);
}

/** @throws Error while a client's file names our config file and depends on what the import wrote into it */
function requireUnused({ file: config, backup }: Change, left: readonly Change[]): void {
  const dependent = left.filter((one) => one.config === config).map(({ file }) => file);
  // Without a backup, the undo deletes our config file, which any client may have been pointed to by hand.
  const files =
    backup === undefined ? [...dependent, ...clientFiles(foldersOf(process.cwd())).map((one) => one.path)] : dependent;
  const users = [...new Set(files)].filter((file) => namesConfig(file, config));
  if (users.length > 0) throw new Error(`${users.join(", ")} still starts toolpacks with it. Change that first.`);
}

/** Whether a file names our config file. A file that is not regular, or not readable, starts nothing. */
function namesConfig(file: string, config: string): boolean {
  try {
    const text = readText(file);
    return text.includes(config) || text.includes(JSON.stringify(config).slice(1, -1));
  } catch {
    return false;
  }
}

interface Undone {
  readonly line: string;
  /** Whether the file stays as it is because there is no backup to restore. */
  readonly isKept?: boolean;
}

const occasions = { "import-clients": "the import", init: "the setup", hooks: "the setup of hooks" } as const;

/** @throws Error that says why the change cannot be undone */
function undoChange(change: Change): Undone {
  const { by, file, backup, hash, hashBefore } = change;
  removeTemporaryFiles(file);
  const current = hashOfFile(file);
  const isChanged = current !== undefined && current !== hash;
  if (backup === undefined) {
    if (isChanged) {
      if (takeBackValues(change)) return { line: `${file}: toolpacks removed; later changes of the file are kept` };
      const line = `${file}: kept, because it was changed since ${occasions[by]}. Delete it if not needed.`;
      return { line, isKept: true };
    }
    rmSync(file, { force: true });
    return { line: `${file}: removed` };
  }
  removeTemporaryFiles(backup);
  const hashOfBackup = hashOfFile(backup);
  // The command may have been killed before it wrote the file, or an undo after it. The user may have copied the backup.
  const isRestored = current === hashBefore || (current !== undefined && current === hashOfBackup);
  if (!isRestored) {
    if (isChanged && takeBackValues(change)) {
      rmSync(backup, { force: true });
      return { line: `${file}: toolpacks removed; later changes of the file are kept` };
    }
    if (hashOfBackup === undefined) return withoutBackup(change, backup);
    if (isChanged || hashOfBackup !== hashBefore) {
      const what = isChanged ? "it" : `its backup ${backup}`;
      throw new Error(`${what} was changed since ${occasions[by]}. ${choices(change, backup)}`);
    }
    replaceFile(file, readBytes(backup));
  }
  rmSync(backup, { force: true });
  return { line: `${file}: restored` };
}

/** Takes back the values that a change set, in a file that was changed since. False if one of them is another value now, or none is recorded. */
function takeBackValues({ file, format, values }: Change): boolean {
  if (values === undefined) return false;
  const content = readBytes(file);
  const text = textOf(content);
  const root = parseText({ file, format, text });
  const open = values.filter(({ at, before }) => !isDeepStrictEqual(valueAt(root, at), before));
  if (open.some(({ at, after }) => !isDeepStrictEqual(valueAt(root, at), after))) return false;
  const edits = open.map(({ at, before }) => ({ at, value: before }));
  if (edits.length > 0) replaceFile(file, withMarkOf(content, editText({ file, format, text }, edits)));
  return true;
}

function hashOfFile(file: string): string | undefined {
  return existsSync(file) ? hashOf(readBytes(file)) : undefined;
}

/** A file without a backup stays as it is. Its change is over when the file no longer starts toolpacks. */
function withoutBackup({ file, config }: Change, backup: string): Undone {
  if (config !== undefined && namesConfig(file, config)) {
    throw new Error(`its backup ${backup} is missing. Put it back, or remove toolpacks from the file.`);
  }
  return { line: `${file}: kept, because its backup ${backup} is missing`, isKept: true };
}

function choices({ config }: Change, backup: string): string {
  const entry = config === undefined ? "" : "remove toolpacks from it and ";
  return `To restore it, copy ${backup} over it. To keep it, ${entry}delete ${backup}.`;
}
