import { existsSync } from "node:fs";
import { writeAtomicallySync } from "@toolpacks/files";
import { readRecord, writeRecord, type Change } from "./change-record.ts";
import { editText, parseText, valueAt, type ConfigFormat } from "./config-text.ts";
import type { Edit } from "./edit.ts";
import { closeUndone } from "./current-values.ts";
import { hashOf, readBytes, replaceFile, textOf, withMarkOf } from "./user-file.ts";

/** A planned change of a config file. */
export interface FileChange {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly edits: readonly Edit[];
  /** The content now; undefined when the file does not exist. */
  readonly content: Buffer | undefined;
  /** The text now and after the change, without a byte order mark. */
  readonly before: string;
  readonly after: string;
}

/** Plans a change of a file. @throws ConfigurationError if the file cannot be parsed or edited; Error if it is not a regular file */
export function planChange(file: string, format: ConfigFormat, edits: readonly Edit[]): FileChange {
  const content = existsSync(file) ? readBytes(file) : undefined;
  const before = content === undefined ? "" : textOf(content);
  return { file, format, edits, content, before, after: editText({ file, format, text: before }, edits) };
}

/**
 * Records what will be changed, then copies the file to its backup, then replaces it.
 *
 * @throws Error if the file was changed since the plan was made
 */
export function applyChange(
  { file, format, edits, content, before, after }: FileChange,
  { by, config }: Pick<Change, "by" | "config">,
): void {
  const now = existsSync(file) ? readBytes(file) : undefined;
  const isSame = now === undefined || content === undefined ? now === content : now.equals(content);
  if (!isSame) throw new Error("it was changed in the meantime; run the command again");
  const others = closeUndone(readRecord(), file);
  const backup = content === undefined ? undefined : freeBackup(file);
  const text = withMarkOf(content, after);
  const hashBefore = content === undefined ? undefined : hashOf(content);
  const root = parseText({ file, format, text: before });
  const values = edits.map(({ at, value }) => ({ at: [...at], before: valueAt(root, at), after: value }));
  // The change is recorded before it is made, so that `--undo` works after the process is killed at any step.
  writeRecord([...others, { by, file, format, backup, config, hashBefore, hash: hashOf(text), values }]);
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
