import { existsSync } from "node:fs";
import { readRecord } from "../clients/change-record.ts";
import { undoChanges } from "../clients/undo-changes.ts";
import type { Undone } from "../clients/undone.ts";
import { replaceFile, withMarkOf } from "../clients/user-file.ts";
import type { HookClient } from "./hook-clients.ts";
import { planRemoval } from "./plan-hooks.ts";

/**
 * Removes our hooks from a client's file. A file that was not changed since is restored byte for byte. From a changed file, and from one without a
 * record, only our hooks are removed.
 *
 * @returns whether it is done
 * @throws ConfigurationError if a file without a record cannot be parsed
 */
export function undoHooks(client: HookClient, file: string, report: (line: string) => void): boolean {
  const takeBack = () => removeHooks(client, file);
  const isRecorded = readRecord().some((change) => change.by === "hooks" && change.file === file);
  if (isRecorded) return undoChanges("hooks", report, { file, takeBack });
  const [removed] = takeBack().removed ?? [];
  report(removed === undefined ? `${file}: has no hooks of toolpacks` : `${file}: ${removed} removed`);
  return true;
}

function removeHooks(client: HookClient, file: string): Undone {
  const change = existsSync(file) ? planRemoval(client, file) : undefined;
  if (change === undefined) return {};
  replaceFile(file, withMarkOf(change.content, change.after));
  return { removed: ["hooks of toolpacks"] };
}
