import { existsSync } from "node:fs";
import { readRecord } from "../change-record.ts";
import { undoChanges, type UndoOptions } from "../undo.ts";
import { replaceFile, withMarkOf } from "../user-file.ts";
import type { HookClient } from "./hook-clients.ts";
import { planRemoval } from "./plan-hooks.ts";

/**
 * Removes our hooks from a client's file. A file that was not changed since is restored byte for byte. From a changed file, and from one without a
 * record, only our hooks are removed.
 *
 * @param by the command that set the hooks
 * @returns whether it is done
 * @throws ConfigurationError if a file without a record cannot be parsed
 */
export function undoHooks(client: HookClient, by: string, options: Omit<UndoOptions, "file" | "takeBack">): boolean {
  const file = client.file(options.machine);
  const isRecorded = readRecord(options.record).some((change) => change.by === by && change.file === file);
  if (isRecorded) return undoChanges(by, { ...options, file, takeBack: () => (removeHooks(client, file), {}) });
  options.report(`${file}: ${removeHooks(client, file) ? "hooks of toolpacks removed" : "has no hooks of toolpacks"}`);
  return true;
}

function removeHooks(client: HookClient, file: string): boolean {
  const change = existsSync(file) ? planRemoval(client, file) : undefined;
  if (change === undefined) return false;
  replaceFile(file, withMarkOf(change.content, change.after));
  return true;
}
