import { existsSync, rmSync } from "node:fs";
import { errorText } from "@toolpacks/core";
import { readRecord, writeRecord, type Change, type ChangingCommand } from "./change-record.ts";
import { foldersOf } from "./client-folders.ts";
import { clientFiles } from "./known-clients.ts";
import { takeBackValues } from "./take-back-values.ts";
import { describeUndone, valueNames, type Undone } from "./undone.ts";
import { hashOfFile, removeBackup } from "./current-values.ts";
import { readBytes, readText, removeTemporaryFiles, replaceFile } from "./user-file.ts";

export interface UndoOptions {
  /** The only file to undo. Default: all files. */
  readonly file?: string;
  /** Takes a change back in a file that was changed since. Default: by its recorded values. */
  readonly takeBack?: (change: Change) => Undone;
}

/**
 * Undoes all changes of a command, newest first, and reports one line for each file. A file that was not changed since is restored byte for byte. In
 * a changed file, only our changes are taken back. Our config file stays while a client needs it.
 *
 * @returns whether all changes are undone
 */
export function undoChanges(by: ChangingCommand, report: (line: string) => void, options: UndoOptions = {}): boolean {
  const { file: only, takeBack = takeBackValues } = options;
  let record = readRecord();
  const newest = record.filter((one) => one.by === by && (only ?? one.file) === one.file).toReversed();
  if (newest.length === 0) report(`there is nothing to undo: toolpacks ${by} has changed no file`);
  // Our config file is the last one: the servers are back in the clients' files then.
  const ordered = newest.toSorted((a, b) => Number(isOurConfig(a)) - Number(isOurConfig(b)));
  const lost: string[] = [];
  const undo = (change: Change): Undone => {
    requireNewest(change, record);
    const undone = isOurConfig(change) ? undoOurConfig(change, record, lost) : undoChange(change, takeBack);
    const { kept = [], left = [] } = undone;
    if (left.length > 0) return undone;
    if (kept.length === 0) removeBackup(change);
    else if (!isOurConfig(change) && !hasBackup(change)) lost.push(...kept);
    record = record.filter((one) => one !== change);
    writeRecord(record);
    return undone;
  };
  for (const [file, changes] of Map.groupBy(ordered, (change) => change.file)) {
    try {
      report(`${file}: ${describeUndone(changes.map(undo), changes)}`);
    } catch (error) {
      report(`${file}: not restored: ${errorText(error)}`);
    }
  }
  writeRecord(record);
  const isDone = newest.every((change) => !record.includes(change));
  if (!isDone) report(`Then run toolpacks ${by} --undo again.`);
  return isDone;
}

function hasBackup({ backup }: Change): boolean {
  return backup !== undefined && existsSync(backup);
}

function isOurConfig({ by, config }: Change): boolean {
  return by === "import-clients" && config === undefined;
}

/** @throws Error if another command changed the file later: its backup has this change */
function requireNewest(change: Change, record: readonly Change[]): void {
  const after = record.slice(record.indexOf(change) + 1);
  const later = after.find(({ by, file }) => by !== change.by && file === change.file);
  if (later !== undefined)
    throw new Error(`it was changed later by ${later.by}. Run toolpacks ${later.by} --undo first.`);
}

/** @param lost servers that are in our config file only */
function undoOurConfig(change: Change, record: readonly Change[], lost: readonly string[]): Undone {
  if (lost.length > 0) return { keptBecause: `no other file has the moved definition of ${lost.join(", ")}` };
  const current = hashOfFile(change.file);
  if (change.backup === undefined && current !== undefined && current !== change.hash) {
    return { keptBecause: "it was changed since the import. Delete it if it is not needed" };
  }
  requireUnused(change, record);
  return undoChange(change, takeBackValues);
}

/** @throws Error while a client's file names our config file and depends on what the import wrote into it */
function requireUnused({ file: config, backup }: Change, record: readonly Change[]): void {
  const dependent = record.filter((one) => one.config === config).map(({ file }) => file);
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

/** @throws Error that says why the change cannot be undone */
function undoChange(change: Change, takeBack: (change: Change) => Undone): Undone {
  const { file, backup, hash, hashBefore, values } = change;
  removeTemporaryFiles(file);
  if (backup !== undefined) removeTemporaryFiles(backup);
  const exact = {
    isExact: true,
    putBack: valueNames(values.filter(({ before }) => before !== undefined)),
    removed: valueNames(values.filter(({ before }) => before === undefined)),
  };
  const current = hashOfFile(file);
  const isChanged = current !== undefined && current !== hash;
  if (backup === undefined) {
    if (isChanged) return takeBack(change);
    rmSync(file, { force: true });
    return exact;
  }
  const hashOfBackup = hashOfFile(backup);
  // The command may have been killed before it wrote the file, or an undo after it. The user may have copied the backup.
  if (current !== undefined && (current === hashBefore || current === hashOfBackup)) return exact;
  if (isChanged || hashOfBackup !== hashBefore) return takeBack(change);
  replaceFile(file, readBytes(backup));
  return exact;
}
