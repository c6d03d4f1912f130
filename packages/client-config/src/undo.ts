import { existsSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { errorText, isObject } from "@toolpacks/core";
import { readRecord, writeRecord, type Change } from "./change-record.ts";
import { editText, parseText, valueAt } from "./config-text.ts";
import { clientFiles } from "./known-clients.ts";
import type { Machine } from "./machine.ts";
import { hashOfFile, readBytes, readText, removeTemporaryFiles, replaceFile, textOf, withMarkOf } from "./user-file.ts";

type Values = Change["values"];

/** What the undo of a change did to its file. */
export interface Undone {
  /** Whether the file has its earlier bytes, or is gone as before. */
  readonly isExact?: boolean;
  /** Values that have their earlier content, or are removed again. */
  readonly back?: Values;
  /** Values that stay, because they have another content now. */
  readonly kept?: Values;
  /** Why the whole file stays as it is. */
  readonly keptBecause?: string;
}

export interface UndoOptions {
  /** The file that records changes. */
  readonly record: string;
  readonly machine: Machine;
  /** Receives one line for each file. */
  readonly report: (line: string) => void;
  /** The only file to undo. Default: all files. */
  readonly file?: string;
  /** Takes a change back in a file that was changed since. Default: by its recorded values. */
  readonly takeBack?: (change: Change) => Undone;
}

/**
 * Undoes all changes of a command, newest first. A file that was not changed since is restored byte for byte. In a changed file, only our changes are
 * taken back. Our config file stays while a client needs it.
 *
 * @param by the command, such as `toolpacks init`
 * @returns whether all changes are undone
 */
export function undoChanges(by: string, options: UndoOptions): boolean {
  const { record: recordFile, report, file: only, takeBack = takeBackValues } = options;
  let record = readRecord(recordFile);
  const newest = record.filter((one) => one.by === by && (only ?? one.file) === one.file).toReversed();
  if (newest.length === 0) report(`there is nothing to undo: ${by} has changed no file`);
  // Our config file is the last one: the servers are back in the clients' files then.
  const ordered = newest.toSorted((a, b) => Number(isOurConfig(a)) - Number(isOurConfig(b)));
  const lost: string[] = [];
  const undo = (change: Change): Undone => {
    requireNewest(change, record);
    const isOurs = isOurConfig(change);
    const undone = isOurs
      ? undoOurConfig(change, { record, lost, machine: options.machine })
      : undoChange(change, takeBack);
    const keptServers = (undone.kept ?? []).filter(({ before }) => before !== undefined);
    if (!isOurs) lost.push(...names(keptServers));
    if (keptServers.length === 0) removeBackup(change);
    record = record.filter((one) => one !== change);
    writeRecord(recordFile, record);
    return undone;
  };
  for (const [file, changes] of Map.groupBy(ordered, (change) => change.file)) {
    try {
      report(`${file}: ${describe(changes.map(undo), changes.at(-1))}`);
    } catch (error) {
      report(`${file}: not restored: ${errorText(error)}`);
    }
  }
  writeRecord(recordFile, record);
  const isDone = newest.every((change) => !record.includes(change));
  if (!isDone) report(`Then run ${by} --undo again.`);
  return isDone;
}

function isOurConfig({ file, config }: Change): boolean {
  return file === config;
}

/** @throws Error if another command changed the file later: its backup has this change */
function requireNewest(change: Change, record: readonly Change[]): void {
  const after = record.slice(record.indexOf(change) + 1);
  const later = after.find(({ by, file }) => by !== change.by && file === change.file);
  if (later !== undefined) throw new Error(`it was changed later by ${later.by}. Run ${later.by} --undo first.`);
}

interface ConfigUse {
  readonly machine: Machine;
  readonly record: readonly Change[];
  /** Servers that are in our config file only. */
  readonly lost: readonly string[];
}

function undoOurConfig(change: Change, { machine, record, lost }: ConfigUse): Undone {
  const { file: config, backup, hash } = change;
  if (lost.length > 0) return { keptBecause: `the file of its client has another definition of ${lost.join(", ")}` };
  const current = hashOfFile(config);
  if (backup === undefined && current !== undefined && current !== hash) {
    return { keptBecause: "it was changed since. Delete it if it is not needed" };
  }
  const dependent = record.filter((one) => one.config === config && one !== change).map(({ file }) => file);
  // Without a backup, the undo deletes our config file, which any client may have been pointed to by hand.
  const files = backup === undefined ? [...dependent, ...clientFiles(machine).map((one) => one.path)] : dependent;
  const users = [...new Set(files)].filter((file) => namesConfig(file, config));
  if (users.length > 0) throw new Error(`${users.join(", ")} still names it. Change that first.`);
  return undoChange(change, takeBackValues);
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

function undoChange(change: Change, takeBack: (change: Change) => Undone): Undone {
  const { file, backup, hash, hashBefore, values } = change;
  removeTemporaryFiles(file);
  if (backup !== undefined) removeTemporaryFiles(backup);
  const exact = { isExact: true, back: values };
  const current = hashOfFile(file);
  // The command may have been killed before it wrote the file, or an undo after it.
  if (current === hashBefore) return exact;
  if (current !== undefined && current !== hash) return takeBack(change);
  if (backup === undefined) rmSync(file, { force: true });
  else if (hashOfFile(backup) !== hashBefore) return takeBack(change);
  else replaceFile(file, readBytes(backup));
  return exact;
}

/** Takes back the values that a change set. Everything else in the file stays, and each of these values that is another one now. */
function takeBackValues(change: Change): Undone {
  const { file, format, values } = change;
  const content = existsSync(file) ? readBytes(file) : undefined;
  const text = content === undefined ? "" : textOf(content);
  const root = parseText({ file, format, text });
  const isBack = ({ at, before }: Values[number]) => isDeepStrictEqual(recorded(valueAt(root, at)), before);
  const open = values.filter((value) => !isBack(value) && isOurs(recorded(valueAt(root, value.at)), value, change));
  const kept = values.filter((value) => !isBack(value) && !open.includes(value));
  if (open.length > 0) {
    // Removals are the last edits, so that the list of servers is never empty, which could change its form.
    const edits = open
      .map(({ at, before }) => ({ at, value: before }))
      .toSorted((a, b) => Number(a.value === undefined) - Number(b.value === undefined));
    replaceFile(file, withMarkOf(content, editText({ file, format, text }, edits)));
  }
  return { back: values.filter((value) => !kept.includes(value)), kept };
}

/** A value in the form in which it is recorded. Parsers make objects with different prototypes. */
function recorded(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Whether a value is still what the change made of it. A client or the user may have added fields to our entry in the file of a client. */
function isOurs(now: unknown, { before, after }: Values[number], change: Change): boolean {
  return isDeepStrictEqual(now, after) || (before === undefined && !isOurConfig(change) && contains(now, after));
}

function contains(value: unknown, part: unknown): boolean {
  if (Array.isArray(part)) return Array.isArray(value) && part.every((one) => value.includes(one));
  if (!isObject(part)) return value === part;
  return isObject(value) && Object.entries(part).every(([key, inner]) => contains(value[key], inner));
}

/** Removes the backup of a change, unless somebody has changed it. */
function removeBackup({ backup, hashBefore, file }: Change): void {
  if (backup === undefined) return;
  const hash = hashOfFile(backup);
  if (hash === hashBefore || hash === hashOfFile(file)) rmSync(backup, { force: true });
}

/** The names of entries, and of values inside an entry that was there before. */
function names(values: Values): readonly string[] {
  return values.map(({ at, before, after }) =>
    at.slice(before !== undefined && after !== undefined ? -2 : -1).join("."),
  );
}

function describe(undone: readonly Undone[], oldest: Change | undefined): string {
  const keptBecause = undone.findLast((one) => one.keptBecause !== undefined)?.keptBecause;
  if (keptBecause !== undefined) return `kept: ${keptBecause}`;
  if (undone.every(({ isExact }) => isExact)) return oldest?.backup === undefined ? "removed" : "restored";
  const back = undone.flatMap((one) => one.back ?? []);
  const parts = [
    [back.filter(({ before }) => before !== undefined), "put back"],
    [undone.flatMap((one) => one.kept ?? []), "kept, because it was changed since"],
    [back.filter(({ before }) => before === undefined), "removed"],
  ] as const;
  const told = parts.flatMap(([values, what]) =>
    values.length === 0 ? [] : [`${[...new Set(names(values))].join(", ")} ${what}`],
  );
  return [...told, "later changes of the file are kept"].join("; ");
}
