import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isDisabled } from "@toolpacks/upstream/config";
import { readBlock, type ReadBlock } from "@toolpacks/upstream/server-block";
import { readConfig } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { applyChange, planChange } from "./change-file.ts";
import { readRecord } from "./change-record.ts";
import type { ConfigFormat } from "./config-text.ts";
import type { Edit } from "./edit.ts";
import type { Block } from "./entry-formats.ts";
import type { FoundFile, MovedServer } from "./found-file.ts";
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
  for (const { label, name, moved } of files.flatMap(movedOf)) {
    const isSame = (candidate: string) => isDeepStrictEqual(servers.get(candidate), moved.options);
    const names = [name, `${name}-${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`];
    if (names.some(isSame)) continue;
    const free = names.find((candidate) => !servers.has(candidate)) ?? `${name}-${servers.size}`;
    servers.set(free, moved.options);
    added.set(free, moved.block);
  }
  return { to, added, files: files.filter((file) => movedOf(file).length > 0) };
}

function movedOf({ label, servers }: FoundFile): readonly { label: string; name: string; moved: MovedServer }[] {
  return servers.flatMap(({ name, decision }) => ("moved" in decision ? [{ label, name, moved: decision.moved }] : []));
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
  const ours = { file: to, edits: [...added].map(([name, value]) => ({ at: ["mcpServers", name], value })) };
  // A client may list servers of the user and of a project in one file, which is changed once.
  const ofClients = [...Map.groupBy(files, ({ path }) => path)].map(([file, found]) => ({
    file,
    format: found[0]?.client.format,
    edits: found.flatMap((one) => [...ourEdit(one, to), ...removals(one)]),
    config: to,
  }));
  // All plans are made before the first change: a file that cannot be edited stops the import here.
  const plans = [ours, ...ofClients]
    .filter(({ edits }) => edits.length > 0)
    .map((change: PlannedEdits) => ({
      plan: planChange(change.file, change.format ?? "json", change.edits),
      config: change.config,
    }));
  for (const { plan, config } of plans) applyChange(plan, { by: "import-clients", config });
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
