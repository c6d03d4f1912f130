import { existsSync } from "node:fs";
import { writeAtomicallySync } from "@toolpacks/files";
import { readRecord, writeRecord, type Change } from "./change-record.ts";
import { editText, parseText, valueAt, type ConfigFormat } from "./config-text.ts";
import type { Edit } from "./edit.ts";
import { hashOf, hashOfFile, readBytes, replaceFile, textOf, withMarkOf } from "./user-file.ts";

interface FileEdits {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly edits: readonly Edit[];
  /** Our config file, which the file refers to after the change, or which it is. */
  readonly config?: string | undefined;
}

/** A planned change of a config file. */
export interface FileChange extends FileEdits {
  /** The content now; undefined when the file does not exist. */
  readonly content: Buffer | undefined;
  /** The text now and after the change, without a byte order mark. */
  readonly before: string;
  readonly after: string;
}

/** Plans a change of a file. @throws ConfigurationError if the file cannot be parsed or edited; Error if it is not a regular file */
export function planChange(planned: FileEdits): FileChange {
  const { file, format, edits } = planned;
  const content = existsSync(file) ? readBytes(file) : undefined;
  const before = content === undefined ? "" : textOf(content);
  return { ...planned, content, before, after: editText({ file, format, text: before }, edits) };
}

/**
 * Records what will be changed, then copies the file to its backup, then replaces it.
 *
 * @param by the command, such as `toolpacks init`
 * @param record the file that records changes
 * @throws Error if the file was changed since the plan was made
 */
export function applyChange(change: FileChange, { by, record }: { by: string; record: string }): void {
  const { file, format, edits, content, before, config } = change;
  const hashBefore = content === undefined ? undefined : hashOf(content);
  if (hashOfFile(file) !== hashBefore) throw new Error("it was changed in the meantime; run the command again");
  const backup = content === undefined ? undefined : freeBackup(file);
  const text = withMarkOf(content, change.after);
  const root = parseText({ file, format, text: before });
  const values = edits.map(({ at, value }) => ({ at: [...at], before: valueAt(root, at), after: value }));
  const made: Change = { by, file, format, backup, config, hashBefore, hash: hashOf(text), values };
  // The change is recorded before it is made, so that the undo works after the process is killed at any step.
  writeRecord(record, [...readRecord(record), made]);
  // A client's file may hold keys, so its backup is private.
  if (backup !== undefined && content !== undefined) {
    writeAtomicallySync(backup, content, { mode: 0o600, overwrite: false });
  }
  replaceFile(file, text);
}

function freeBackup(file: string): string {
  for (let at = 1; ; at += 1) {
    const backup = `${file}.before-toolpacks${at === 1 ? "" : `-${at}`}`;
    if (!existsSync(backup)) return backup;
  }
}
