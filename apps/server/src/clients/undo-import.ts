import { existsSync, rmSync } from "node:fs";
import { errorText } from "@toolpacks/core";
import { clientFiles } from "./client-files.ts";
import { hashOf, readBytes, readText, removeTemporaryFiles, replaceFile } from "./json-file.ts";
import { readRecord, writeRecord, type Change } from "./import-record.ts";

/**
 * Undoes all imports, newest first: restores each file from its backup, byte for byte. A file that was changed since the import stays as
 * it is. The report names it, says why and what the user can do, and its change stays recorded. Our config file stays while a client needs it.
 *
 * @returns whether every file is what it was before the imports
 */
export function undoImports(report: (line: string) => void): boolean {
  let left = readRecord();
  let isComplete = true;
  const refused = new Set<string>();
  const newest = left.toReversed();
  const ofClients = newest.filter(({ config }) => config !== undefined);
  const ofOurConfig = newest.filter(({ config }) => config === undefined);
  for (const change of [...ofClients, ...ofOurConfig]) {
    // An older change of a file can be undone only after the newer one.
    if (refused.has(change.file)) continue;
    try {
      if (change.config === undefined) requireUnused(change, left);
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
  if (left.length > 0) report("Then run toolpacks import-clients --undo again.");
  return isComplete && left.length === 0;
}

/** @throws Error while a client's file names our config file and depends on what the import wrote into it */
function requireUnused({ file: config, backup }: Change, left: readonly Change[]): void {
  const dependent = left.filter((one) => one.config === config).map(({ file }) => file);
  // Without a backup, the undo deletes our config file, which any client may have been pointed to by hand.
  const files = backup === undefined ? [...dependent, ...clientFiles(process.cwd()).map((one) => one.path)] : dependent;
  const users = [...new Set(files)].filter((file) => namesConfig(file, config));
  if (users.length > 0) throw new Error(`${users.join(", ")} still starts toolpacks with it. Change that first.`);
}

/** Whether a file names our config file. A file that is not regular, or not readable, starts nothing. */
function namesConfig(file: string, config: string): boolean {
  try {
    return readText(file).includes(JSON.stringify(config));
  } catch {
    return false;
  }
}

interface Undone {
  readonly line: string;
  /** Whether the file stays as it is because there is no backup to restore. */
  readonly isKept?: boolean;
}

/** @throws Error that says why the change cannot be undone */
function undoChange(change: Change): Undone {
  const { file, backup, hash, hashBefore } = change;
  removeTemporaryFiles(file);
  const current = hashOfFile(file);
  if (backup === undefined) {
    if (current !== undefined && current !== hash) {
      return { line: `${file}: kept, because it was changed since the import. Delete it if not needed.`, isKept: true };
    }
    rmSync(file, { force: true });
    return { line: `${file}: removed` };
  }
  removeTemporaryFiles(backup);
  const hashOfBackup = hashOfFile(backup);
  // The import may have been killed before it wrote the file, or an undo after it. The user may have copied the backup.
  const isRestored = current === hashBefore || (current !== undefined && current === hashOfBackup);
  if (!isRestored) {
    if (hashOfBackup === undefined) return withoutBackup(change, backup);
    const isChanged = current !== undefined && current !== hash;
    if (isChanged || hashOfBackup !== hashBefore) {
      const what = isChanged ? "it" : `its backup ${backup}`;
      throw new Error(`${what} was changed since the import. ${choices(change, backup)}`);
    }
    replaceFile(file, readBytes(backup));
  }
  rmSync(backup, { force: true });
  return { line: `${file}: restored` };
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
