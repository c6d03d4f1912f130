import { copyFileSync, existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseJsonc } from "../config/parse-jsonc.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { edited, replaceFile, type Edit } from "./edited-file.ts";
import type { Block, FoundFile } from "./find-servers.ts";
import { recordChange } from "./import-record.ts";

/** Servers on their way into our config file. */
export interface Move {
  readonly to: string;
  /** Those that it has not yet, by the names that they get there. */
  readonly added: ReadonlyMap<string, Block>;
  readonly files: readonly FoundFile[];
}

/** Names every server that can be moved. Two clients' same block is one server; another one of the same name gets its client's name too. */
export function planMove(files: readonly FoundFile[], to: string): Move {
  const servers = new Map(Object.entries(existing(to)));
  const added = new Map<string, Block>();
  for (const { client, servers: found } of files) {
    for (const { name, block, stays } of found) {
      if (stays !== undefined) continue;
      const isSame = (one: string) => isDeepStrictEqual(servers.get(one), block);
      const names = [name, `${name}-${client.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`];
      if (names.some(isSame)) continue;
      const free = names.find((one) => !servers.has(one)) ?? `${name}-${servers.size}`;
      servers.set(free, block);
      added.set(free, block);
    }
  }
  return { to, added, files: files.filter((file) => file.servers.some(({ stays }) => stays === undefined)) };
}

function existing(to: string): Record<string, Block> {
  if (!existsSync(to)) return {};
  const config = parseJsonc(to, readFileSync(to, "utf8")) as { mcpServers?: Record<string, Block> } | undefined;
  return config?.mcpServers ?? {};
}

/** Writes our config file first: at no time is a server in neither. Every file that is changed is backed up beside itself. */
export function move({ to, added, files }: Move): void {
  if (!/\.jsonc?$/.test(to)) throw new ConfigurationError(`${to}: expected a .json or .jsonc file; name one with --to`);
  change(
    to,
    [...added].map(([name, value]) => ({ at: ["mcpServers", name], value })),
  );
  for (const { path: file, at, servers: found } of files) {
    const moved = found.filter(({ stays }) => stays === undefined);
    const edits: Edit[] = moved.map(({ name }) => ({ at: [...at, name], value: undefined }));
    change(file, [...edits, { at: [...at, "toolpacks"], value: ourBlock(to) }]);
  }
}

function change(file: string, edits: readonly Edit[]): void {
  const exists = existsSync(file);
  const before = exists ? readFileSync(file, "utf8") : "";
  const backup = exists ? freeBackup(file) : undefined;
  if (backup !== undefined) copyFileSync(file, backup);
  replaceFile(file, edited(before, edits));
  recordChange(file, backup);
}

function freeBackup(file: string): string {
  for (let at = 1; ; at += 1) {
    const place = `${file}.before-toolpacks${at === 1 ? "" : `-${at}`}`;
    if (!existsSync(place)) return place;
  }
}

/** How a client starts us: as we were started, unless that was from a place that npx will clear away. */
function ourBlock(config: string): Block {
  const program = realpathSync(process.argv[1] ?? "");
  if (program.includes(`${path.sep}_npx${path.sep}`))
    return { command: "npx", args: ["-y", "toolpacks", "--config", config] };
  return { command: process.execPath, args: [program, "--config", config] };
}
