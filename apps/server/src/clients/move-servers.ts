import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { writeAtomicallySync } from "@toolpacks/core/write-atomically";
import { isDisabled } from "@toolpacks/upstream/config";
import { readBlock, type ReadBlock } from "@toolpacks/upstream/server-block";
import { readConfig } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { applyJsonEdits, hashOf, readBytes, readText, replaceFile, type Edit } from "./json-file.ts";
import type { Block, FoundFile, MovedServer } from "./found-file.ts";
import { readRecord, recordChange } from "./import-record.ts";
import { ourEdit } from "./our-entry.ts";

/** The servers that an import moves to our config file. */
export interface MovePlan {
  /** Path of our config file. */
  readonly to: string;
  /** The blocks to add to our config file, by their new names. */
  readonly added: ReadonlyMap<string, Block>;
  readonly files: readonly FoundFile[];
}

/**
 * Plans the move, and gives each server a name. The same server in two clients is added once. A different server with the same name gets
 * the client's name as a suffix.
 *
 * @throws ConfigurationError when our config file is not JSON or cannot be read
 */
export async function planMove(files: readonly FoundFile[], to: string): Promise<MovePlan> {
  if (!/\.jsonc?$/.test(to)) throw new ConfigurationError(`${to}: expected a .json or .jsonc file; name one with --to`);
  const servers = await existingServers(to);
  const added = new Map<string, Block>();
  for (const { client, name, moved } of files.flatMap(movedOf)) {
    const isSame = (candidate: string) => isDeepStrictEqual(servers.get(candidate), moved.options);
    const names = [name, `${name}-${client.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`];
    if (names.some(isSame)) continue;
    const free = names.find((candidate) => !servers.has(candidate)) ?? `${name}-${servers.size}`;
    servers.set(free, moved.options);
    added.set(free, moved.block);
  }
  return { to, added, files: files.filter((file) => movedOf(file).length > 0) };
}

function movedOf({ client, servers }: FoundFile): readonly { client: string; name: string; moved: MovedServer }[] {
  return servers.flatMap(({ name, decision }) =>
    "moved" in decision ? [{ client, name, moved: decision.moved }] : [],
  );
}

/** The options of the servers in our config file, by name; undefined for a block that is disabled or invalid. */
async function existingServers(to: string): Promise<Map<string, ReadBlock["options"] | undefined>> {
  if (!existsSync(to)) return new Map();
  const { config, directory } = await readConfig(to);
  const optionsOf = (block: unknown) => {
    if (isDisabled(block)) return undefined;
    try {
      return readBlock(block, { here: directory, environment: process.env }).options;
    } catch {
      return undefined;
    }
  };
  return new Map(Object.entries(config.mcpServers ?? {}).map(([name, block]) => [name, optionsOf(block)]));
}

/** Moves the servers. Our config file is written first, so that a server is always in one of the files. Each changed file gets a backup beside it. */
export function moveServers({ to, added, files }: MovePlan): void {
  // An unreadable record stops the import here: its changes could not be undone.
  readRecord();
  applyChange(
    to,
    [...added].map(([name, value]) => ({ at: ["mcpServers", name], value })),
  );
  // A client may list servers of the user and of a project in one file, which is changed once.
  for (const [file, found] of Map.groupBy(files, ({ path }) => path)) {
    const edits = found.flatMap((one) => [...removals(one), ...ourEdit(one, to)]);
    applyChange(file, edits, to);
  }
}

function removals(file: FoundFile): readonly Edit[] {
  return movedOf(file).map(({ name }) => ({ at: [...file.at, name], value: undefined }));
}

/**
 * Records what will be changed, then copies the file to its backup, then replaces it.
 *
 * @param config our config file, which the client's file refers to after the change
 */
function applyChange(file: string, edits: readonly Edit[], config?: string): void {
  if (edits.length === 0) return;
  const before = existsSync(file) ? readBytes(file) : undefined;
  const backup = before === undefined ? undefined : freeBackup(file);
  const text = applyJsonEdits(readText(file), edits);
  const hashBefore = before === undefined ? undefined : hashOf(before);
  recordChange({ file, backup, config, hashBefore, hash: hashOf(text) });
  // A client's file may hold keys, so its backup is private.
  if (backup !== undefined && before !== undefined) {
    writeAtomicallySync(backup, before, { mode: 0o600, overwrite: false });
  }
  replaceFile(file, text);
}

function freeBackup(file: string): string {
  for (let at = 1; ; at += 1) {
    const backup = `${file}.before-toolpacks${at === 1 ? "" : `-${at}`}`;
    if (!existsSync(backup)) return backup;
  }
}
