import { existsSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type Change, type ValueChange } from "./change-record.ts";
import { parseText, valueAt } from "./config-text.ts";
import { hashOf, readBytes, textOf } from "./user-file.ts";

/** A recorded value, and the value in the file now. */
export interface CurrentValue extends ValueChange {
  readonly now: unknown;
}

/** The recorded values of a change, with those in the file now. @throws ConfigurationError if the file cannot be parsed */
export function currentValues({ file, format, values }: Change): readonly CurrentValue[] {
  const root = parseText({ file, format, text: existsSync(file) ? textOf(readBytes(file)) : "" });
  return values.map((value) => ({ ...value, now: asRecorded(valueAt(root, value.at)) }));
}

/** A value in the form in which it is recorded. Parsers make objects with different prototypes. */
function asRecorded(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

export function isBack({ now, before }: CurrentValue): boolean {
  return isDeepStrictEqual(now, before);
}

/** Removes the changes of a file that have no effect any more from a record, with their backups. The user has undone them by hand. */
export function closeUndone(record: readonly Change[], file: string): readonly Change[] {
  return record.filter((change) => {
    if (change.file !== file || !isUndone(change)) return true;
    removeBackup(change);
    return false;
  });
}

function isUndone(change: Change): boolean {
  if (hashOfFile(change.file) === change.hashBefore) return true;
  return change.values.length > 0 && currentValues(change).every(isBack);
}

/** Removes the backup of a change, unless somebody has changed it. */
export function removeBackup({ backup, hashBefore, file }: Change): void {
  if (backup === undefined) return;
  const hash = hashOfFile(backup);
  if (hash === hashBefore || hash === hashOfFile(file)) rmSync(backup, { force: true });
}

export function hashOfFile(file: string): string | undefined {
  return existsSync(file) ? hashOf(readBytes(file)) : undefined;
}
