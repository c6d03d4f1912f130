import { existsSync, readFileSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { clientFiles } from "./client-files.ts";
import { edited, hashOf, readText, removeUnfinished, replaceFile, valueAt } from "./edited-file.ts";
import { readRecord, writeRecord, type Change } from "./import-record.ts";

/**
 * Takes every import back, newest first: a file that nobody has changed since is what it was, and in another our own places alone are. What
 * cannot be taken back is said and left for the next time, and our config file stays for as long as a client points to it.
 *
 * @returns whether all is taken back
 */
export function undoImports(tell: (line: string) => void): boolean {
  const changes = readRecord();
  const newest = changes.toReversed();
  const left: Change[] = [];
  const attempt = (change: Change, undo: () => string) => {
    try {
      removeUnfinished(change.file);
      tell(undo());
    } catch (error) {
      left.push(change);
      tell(`${change.file} is left as it is: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  for (const change of newest.filter(({ config }) => config !== undefined)) attempt(change, () => undoChange(change));
  for (const change of newest.filter(({ config }) => config === undefined)) {
    attempt(change, () => {
      const pointing = stillPointing(change.file, changes);
      if (pointing.length > 0) throw new Error(`${pointing.join(", ")} still starts toolpacks with it`);
      return undoChange(change);
    });
  }
  writeRecord(changes.filter((change) => left.includes(change)));
  if (left.length > 0) tell("what is left can be taken back with --undo, once that is mended");
  return left.length === 0;
}

/** Of the files that were changed, and of those of every client. */
function stillPointing(config: string, changes: readonly Change[]): readonly string[] {
  const files = new Set(
    [...changes, ...clientFiles(process.cwd()).map(({ path: file }) => ({ file }))].map((one) => one.file),
  );
  files.delete(config);
  return [...files].filter((file) => readText(file).includes(JSON.stringify(config)));
}

function undoChange(change: Change): string {
  const { file, backup, hash, hashBefore } = change;
  if (hashBefore !== undefined && existsSync(file) && hashOf(file) === hashBefore) {
    // The import, or an undo, was killed before or after it replaced the file.
    if (backup !== undefined) rmSync(backup, { force: true });
    return `${file} is what it was`;
  }
  const isAsMade = !existsSync(file) || hashOf(file) === hash;
  if (isAsMade && backup === undefined) {
    rmSync(file, { force: true });
    return `${file} is gone`;
  }
  if (isAsMade && backup !== undefined && existsSync(backup)) {
    replaceFile(file, readFileSync(backup, "utf8"));
    rmSync(backup);
    return `${file} is what it was`;
  }
  return undoPlaces(change);
}

/** A client writes to its own file, too, and so may its user. */
function undoPlaces({ file, backup, config, edits }: Change): string {
  const kept: string[] = [];
  let text = readText(file);
  for (const edit of edits) {
    const now = valueAt(file, edit.at);
    const then = takenBack(now, edit, config);
    if (isDeepStrictEqual(then, now)) {
      if (!isDeepStrictEqual(now, edit.before)) kept.push(edit.at.join("."));
    } else text = edited(text, [{ at: edit.at, value: then }]);
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

/** What a place becomes: what it was, unless somebody has put something else there that does not start us with our config file. */
function takenBack(now: unknown, { before, after }: Change["edits"][number], config: string | undefined): unknown {
  if (isDeepStrictEqual(now, after)) return before;
  if (config === undefined || !JSON.stringify(now ?? null).includes(JSON.stringify(config))) return now;
  return Array.isArray(now) && before !== undefined ? withoutConfig(now, config) : before;
}

/** The arguments that an entry had, and those that it got since. */
function withoutConfig(args: readonly unknown[], config: string): readonly unknown[] {
  const at = args.indexOf(config);
  return args.filter((_, index) => index !== at && index !== at - 1);
}

function isEmpty(text: string): boolean {
  return /^\s*\{\s*("mcpServers"\s*:\s*\{\s*\}\s*)?\}\s*$/.test(text);
}
