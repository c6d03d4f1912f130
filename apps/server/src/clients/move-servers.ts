import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isDisabled, readBlock, type ReadBlock } from "@toolpacks/upstream/server-block";
import { readConfig } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { edited, hashOf, hashOfText, readText, replaceFile, valueAt, type Edit } from "./edited-file.ts";
import type { Block, FoundFile, MovedServer } from "./found-file.ts";
import { readRecord, recordChange } from "./import-record.ts";
import { ourEdit } from "./our-entry.ts";

/** Servers on their way into our config file. */
export interface Move {
  readonly to: string;
  /** Those that it has not yet, by the names that they get there. */
  readonly added: ReadonlyMap<string, Block>;
  readonly files: readonly FoundFile[];
}

/**
 * Names every server that can be moved. What is the same in two clients is one server; another one of the same name gets its client's
 * name too.
 *
 * @throws ConfigurationError when our config file is none that could be written to and then be served from
 */
export async function planMove(files: readonly FoundFile[], to: string): Promise<Move> {
  if (!/\.jsonc?$/.test(to)) throw new ConfigurationError(`${to}: expected a .json or .jsonc file; name one with --to`);
  const servers = await existing(to);
  const added = new Map<string, Block>();
  for (const { client, name, moved } of files.flatMap(movedOf)) {
    const isSame = (one: string) => isDeepStrictEqual(servers.get(one), moved.options);
    const names = [name, `${name}-${client.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`];
    if (names.some(isSame)) continue;
    const free = names.find((one) => !servers.has(one)) ?? `${name}-${servers.size}`;
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

/** What our config file has, in our words; undefined where it is disabled or cannot be used, and stands for no other. */
async function existing(to: string): Promise<Map<string, ReadBlock["options"] | undefined>> {
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

/** Writes our config file first: at no time is a server in neither. Every file that is changed is backed up beside itself. */
export function move({ to, added, files }: Move): void {
  // What could not be written down could not be taken back.
  readRecord();
  change(
    to,
    [...added].map(([name, value]) => ({ at: ["mcpServers", name], value })),
  );
  for (const file of files) {
    const removals: Edit[] = movedOf(file).map(({ name }) => ({ at: [...file.at, name], value: undefined }));
    const ours = ourEdit(file, to);
    change(file.path, [...removals, ...(ours === undefined ? [] : [ours])], to);
  }
}

/**
 * Records what will be changed, then copies the file to its backup, then replaces it.
 *
 * @param config the file that it is to point to from now on
 */
function change(file: string, edits: readonly Edit[], config?: string): void {
  if (edits.length === 0) return;
  const isThere = existsSync(file);
  const backup = isThere ? freeBackup(file) : undefined;
  const made = edits.map(({ at, value }) => ({ at: [...at], before: valueAt(file, at), after: value }));
  const text = edited(readText(file), edits);
  const hashBefore = isThere ? hashOf(file) : undefined;
  recordChange({ file, backup, config, edits: made, hashBefore, hash: hashOfText(text) });
  // A client's file may hold keys, so its backup is private. `wx` follows no link that a project has put in the backup's place.
  if (backup !== undefined) writeFileSync(backup, readFileSync(file), { mode: 0o600, flag: "wx" });
  replaceFile(file, text);
}

function freeBackup(file: string): string {
  for (let at = 1; ; at += 1) {
    const place = `${file}.before-toolpacks${at === 1 ? "" : `-${at}`}`;
    if (!existsSync(place)) return place;
  }
}
