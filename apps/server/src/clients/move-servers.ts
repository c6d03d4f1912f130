import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isDisabled } from "@toolpacks/upstream/config";
import { readBlock, type ReadBlock } from "@toolpacks/upstream/server-block";
import { readConfig } from "@toolpacks/settings";
import { configDefinition } from "../config/config-definition.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { applyChange, planChange, type FileChange } from "./change-file.ts";
import { readRecord } from "./change-record.ts";
import type { ConfigFormat } from "./config-text.ts";
import type { Edit } from "./edit.ts";
import type { Block } from "./entry-formats.ts";
import type { FoundFile, MovedServer } from "./found-file.ts";
import { ourEdit } from "./our-entry.ts";
import { isSameServer } from "./same-server.ts";

/** The servers that an import moves to our config file. */
export interface MovePlan {
  /** Path of our config file. */
  readonly to: string;
  /** The blocks to add to our config file, by their new names. */
  readonly added: ReadonlyMap<string, Block>;
  /** The keys of all servers in our config file after the move. */
  readonly keys: readonly string[];
  /** The key of each moved server. */
  readonly keyOf: ReadonlyMap<MovedServer, string>;
  readonly files: readonly FoundFile[];
}

/** A change of a file by the move. */
export interface PlannedChange {
  readonly change: FileChange;
  /** Our config file, which a client's file refers to after the change; undefined for our config file itself. */
  readonly config: string | undefined;
}

/**
 * Plans the move, and gives each server a name. The same server in two clients is added once. A different server with the same name gets
 * the client's name as a suffix. A server that our config file has already keeps its block there, with its edits.
 *
 * @throws ConfigurationError when our config file is not JSON or cannot be read
 */
export async function planMove(files: readonly FoundFile[], to: string): Promise<MovePlan> {
  if (!/\.jsonc?$/.test(to)) throw new ConfigurationError(`${to}: expected a .json or .jsonc file; name one with --to`);
  const servers = await existingServers(to);
  const added = new Map<string, Block>();
  const keyOf = new Map<MovedServer, string>();
  for (const { label, name, moved } of files.flatMap(movedOf)) {
    const isSame = (candidate: string) => {
      const ours = servers.get(candidate);
      if (ours === undefined) return false;
      return added.has(candidate) ? isDeepStrictEqual(ours, moved.options) : isSameServer(ours, moved.options);
    };
    const names = [name, `${name}-${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`];
    const same = names.find(isSame);
    const key = same ?? names.find((candidate) => !servers.has(candidate)) ?? `${name}-${servers.size}`;
    keyOf.set(moved, key);
    if (same !== undefined) continue;
    servers.set(key, moved.options);
    added.set(key, moved.block);
  }
  return { to, added, keyOf, keys: [...servers.keys()], files: files.filter((file) => movedOf(file).length > 0) };
}

function movedOf({ label, servers }: FoundFile): readonly { label: string; name: string; moved: MovedServer }[] {
  return servers.flatMap(({ name, decision }) => ("moved" in decision ? [{ label, name, moved: decision.moved }] : []));
}

/** The options of the servers in our config file, by name; undefined for a block that is disabled or invalid. */
async function existingServers(to: string): Promise<Map<string, ReadBlock["options"] | undefined>> {
  if (!existsSync(to)) return new Map();
  const { config, directory } = await readConfig(configDefinition, to);
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

/**
 * Plans the changes of all files, our config file first.
 *
 * @throws ConfigurationError if a file cannot be edited
 */
export function planChanges({ to, added, files }: MovePlan): readonly PlannedChange[] {
  const ours = { file: to, edits: [...added].map(([name, value]) => ({ at: ["mcpServers", name], value })) };
  // A client may list servers of the user and of a project in one file, which is changed once.
  const ofClients = [...Map.groupBy(files, ({ path }) => path)].map(([file, found]) => ({
    file,
    format: found[0]?.client.format,
    edits: found.flatMap((one) => [...ourEdit(one, to), ...removals(one)]),
    config: to,
  }));
  return [ours, ...ofClients]
    .filter(({ edits }) => edits.length > 0)
    .map(({ file, format, edits, config }: PlannedEdits) => ({
      change: planChange(file, format ?? "json", edits),
      config,
    }));
}

/** Moves the servers. Our config file is written first, so that a server is always in one of the files. Each changed file gets a backup beside it. */
export function moveServers(changes: readonly PlannedChange[]): void {
  // An unreadable record stops the import here: its changes could not be undone.
  readRecord();
  for (const { change, config } of changes) applyChange(change, { by: "import-clients", config });
}

interface PlannedEdits {
  readonly file: string;
  readonly format?: ConfigFormat | undefined;
  readonly edits: readonly Edit[];
  /** Our config file, which the client's file refers to after the change. */
  readonly config?: string;
}

function removals(file: FoundFile): readonly Edit[] {
  return movedOf(file).map(({ name }) => ({ at: [...file.at, name], value: undefined }));
}
