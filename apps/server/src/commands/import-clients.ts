import { existsSync } from "node:fs";
import path from "node:path";
import {
  applyChange,
  describeMove,
  findServers,
  isDisabled,
  planChanges,
  planMove,
  readRecord,
  renderEntries,
  undoChanges,
  type FileChange,
  type FoundFile,
  type MovePlan,
} from "@toolpacks/client-config";
import { ConfigurationError, isObject } from "@toolpacks/core";
import { checkBlock, readBlock, refusalText } from "@toolpacks/upstream/server-block";
import { describeLeftBehind } from "../clients/left-behind.ts";
import { changeRecord, thisSetup } from "../clients/this-setup.ts";
import { configIn, findConfig, readConfig, userFolders, shellQuote } from "@toolpacks/settings";
import { configDefinition } from "../config/config-definition.ts";
import { type Io, printStyled, styleDiffLine, print, printError, printJson } from "@toolpacks/terminal";
import { planServers } from "@toolpacks/upstream/config";
import { takenNames } from "../mount/bundled-packs.ts";
import { renderFacet } from "../mount/render-facet.ts";

export interface ImportFlags {
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly to?: string;
  readonly only?: readonly string[];
  readonly shared?: boolean;
  readonly json?: boolean;
}

const by = "toolpacks import-clients";

/** `toolpacks import-clients`: finds the servers that other clients start, and moves them behind toolpacks with `--apply`. */
export async function importClients(io: Io, flags: ImportFlags): Promise<number> {
  const { apply, undo, to, only, shared = false, json } = flags;
  if (undo && apply) throw new ConfigurationError("--apply and --undo: expected one of them");
  if (json && (undo || apply)) {
    throw new ConfigurationError("--json: only shows what would move; drop --json, or --apply and --undo");
  }
  if (undo) return undoMove(io);
  const setup = thisSetup(io);
  const reportProblem = (line: string) => printError(io, `toolpacks: ${line}; the file is skipped`);
  const files = findServers(setup, { only, shared, reportProblem, readBlock: blockReader(io) });
  checkOnly(only, files);
  const config = path.resolve(
    io.cwd,
    to ?? path.join(userFolders("toolpacks", io.env).config, "toolpacks.config.jsonc"),
  );
  const plan = planMove(files, config, await existingServers(io, config));
  if (json) {
    printJson(io, { to: config, files: files.map(describeFile) }, 2);
    return 0;
  }
  for (const file of files) print(io, ...describeMove(file, plan, showFacet));
  const changes = planChanges(plan, setup, (folder) => findConfig("toolpacks", folder) !== undefined);
  if (plan.files.length === 0) print(io, "there is nothing to move");
  else if (apply) applyMove(io, plan, changes);
  else preview(io, plan, changes);
  return 0;
}

function undoMove(io: Io): number {
  const report = (line: string) => print(io, line);
  if (!undoChanges(by, { record: changeRecord(io), machine: thisSetup(io), report })) return 1;
  print(io, ...describeLeftBehind(io));
  return 0;
}

function applyMove(io: Io, plan: MovePlan, changes: readonly FileChange[]): void {
  const record = changeRecord(io);
  // An unreadable record stops the import here: its changes could not be undone.
  readRecord(record);
  for (const change of changes) applyChange(change, { by, record });
  const { to, added } = plan;
  const isFoundHere =
    findConfig("toolpacks", io.cwd) === undefined &&
    configIn("toolpacks", userFolders("toolpacks", io.env).config) === to;
  const flag = isFoundHere ? "" : ` --config ${shellQuote(to)}`;
  print(
    io,
    `moved to ${to}: ${[...added.keys()].join(", ") || "nothing new"}`,
    ruleNote(plan),
    `restart the clients; ${by} --undo takes it back`,
    `to check the servers: toolpacks doctor${flag}`,
    `to list their tools: toolpacks tools${flag}`,
  );
}

/** Prints the entries that change in the clients' files. */
function preview(io: Io, plan: MovePlan, changes: readonly FileChange[]): void {
  for (const change of changes.filter(({ file, config }) => file !== config)) {
    print(io, `changes of ${change.file}:`);
    printStyled(io, ...renderEntries(change).map((line) => ["  ", styleDiffLine(line)]));
  }
  print(io, ruleNote(plan), `with --apply they move to ${plan.to}; --undo takes it back`);
}

function ruleNote({ files }: MovePlan): string {
  const { name } = files.flatMap(({ servers }) => servers).find(({ decision }) => "moved" in decision) ?? {};
  return `permission rules of a client that name the old tools, such as mcp__${name}__…, no longer match`;
}

/** The facet of a server, and why it is not its key. */
function showFacet(key: string, keys: readonly string[]): string {
  const servers = planServers(
    keys.map((one) => [one, undefined]),
    takenNames,
  );
  return renderFacet(key, servers.find((one) => one.key === key)?.name ?? key);
}

/** Parses a block as our server does, with the variables of this command. */
function blockReader({ env: environment }: Io) {
  return (block: object, here: string) => {
    try {
      return checkBlock(block, { here, environment });
    } catch (error) {
      throw new Error(refusalText(error), { cause: error });
    }
  };
}

/** The options of each server in our config file; undefined for one that is not used. @throws ConfigurationError when it cannot be changed or read */
async function existingServers({ env: environment }: Io, to: string): Promise<ReadonlyMap<string, object | undefined>> {
  if (!/\.jsonc?$/.test(to)) throw new ConfigurationError(`${to}: expected a .json or .jsonc file; name one with --to`);
  if (!existsSync(to)) return new Map();
  const { config, directory } = await readConfig(configDefinition, to);
  const optionsOf = (block: unknown) => {
    if (isObject(block) && isDisabled(block)) return undefined;
    try {
      return readBlock(block, { here: directory, environment }).options;
    } catch {
      return undefined;
    }
  };
  return new Map(Object.entries(config.mcpServers ?? {}).map(([name, block]) => [name, optionsOf(block)]));
}

function checkOnly(only: readonly string[] = [], files: readonly FoundFile[]): void {
  const found = new Set(files.flatMap(({ servers }) => servers.map(({ name }) => name)));
  for (const name of only) {
    if (found.has(name)) continue;
    throw new ConfigurationError(`--only: no server is named ${name}; there are ${[...found].join(", ") || "none"}`);
  }
}

/** Names only: a block may hold secrets. */
function describeFile({ label, path: file, servers }: FoundFile) {
  return {
    client: label,
    file,
    servers: servers.map(({ name, decision }) =>
      "keptBecause" in decision
        ? { name, moves: false, reason: decision.keptBecause }
        : { name, moves: true, warnings: decision.moved.warnings },
    ),
  };
}
