import { existsSync, rmSync } from "node:fs";
import { applyChange } from "../clients/change-file.ts";
import { readRecord, writeRecord, type Change } from "../clients/change-record.ts";
import { hashOf, readBytes, replaceFile } from "../clients/user-file.ts";
import type { HookClient } from "./hook-clients.ts";
import { planRemoval } from "./plan-hooks.ts";

/**
 * Removes our hooks from a client's file. A file that was not changed since is restored from its backup, byte for byte. From a changed file, only our
 * hooks are removed.
 *
 * @returns what was done, for the user
 * @throws ConfigurationError if the file cannot be parsed
 */
export function undoHooks(client: HookClient, file: string): string {
  const record = readRecord();
  const own = record.filter((change) => change.by === "hooks" && change.file === file);
  const [first] = own;
  const line = (first && restore(file, own)) ?? remove(client, file);
  for (const { backup } of own) if (backup !== undefined) rmSync(backup, { force: true });
  const isOwn = ({ by, file: changed }: Change) => by === "hooks" && changed === file;
  writeRecord(readRecord().filter((change) => !isOwn(change)));
  return line;
}

/** Restores the content before our first change, if nothing else has changed the file. Undefined: something has. */
function restore(file: string, changes: readonly Change[]): string | undefined {
  const [first] = changes;
  const last = changes.at(-1);
  const isChain = changes.every(({ hashBefore }, at) => at === 0 || hashBefore === changes[at - 1]?.hash);
  if (first === undefined || !isChain || !existsSync(file) || hashOf(readBytes(file)) !== last?.hash) return undefined;
  if (first.backup === undefined) {
    rmSync(file);
    return `${file}: removed`;
  }
  if (!existsSync(first.backup) || hashOf(readBytes(first.backup)) !== first.hashBefore) return undefined;
  replaceFile(file, readBytes(first.backup));
  return `${file}: restored`;
}

function remove(client: HookClient, file: string): string {
  const change = existsSync(file) ? planRemoval(client, file) : undefined;
  if (change === undefined) return `${file}: has no hooks of toolpacks`;
  applyChange(change, { by: "hooks", config: undefined });
  const backup = readRecord().findLast(({ by, file: changed }) => by === "hooks" && changed === file)?.backup;
  if (backup !== undefined) rmSync(backup, { force: true });
  return `${file}: hooks of toolpacks removed; later changes of the file are kept`;
}
