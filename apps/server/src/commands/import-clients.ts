import { existsSync } from "node:fs";
import path from "node:path";
import {
  applyChange,
  describeMove,
  findServers,
  moveAsJson,
  planChanges,
  planMove,
  readRecord,
  showEntries,
  undoChanges,
  type MovePlan,
} from "@toolpacks/client-config";
import { ConfigurationError } from "@toolpacks/core";
import { configIn, findConfig, readConfig, userFolders } from "@toolpacks/settings";
import { type Io, print, printError, printJson, shellQuote } from "@toolpacks/terminal";
import { checkBlock, readBlock, refusalText } from "@toolpacks/upstream/server-block";
import { changeRecord, thisSetup } from "../clients/this-setup.ts";
import { configDefinition } from "../config/config-definition.ts";
import { isDisabled, planServers } from "@toolpacks/upstream/config";
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
  const setup = thisSetup(io);
  const record = changeRecord(io);
  if (undo) return Number(!undoChanges(by, { record, machine: setup, report: (line) => print(io, line) }));
  const ownFolder = userFolders("toolpacks", io.env).config;
  const config = path.resolve(io.cwd, to ?? path.join(ownFolder, "toolpacks.config.jsonc"));
  const reportProblem = (line: string) => printError(io, `toolpacks: ${line}; the file is skipped`);
  const files = findServers(setup, { only, shared, reportProblem, readBlock: blockReader(io) });
  const plan = planMove(files, config, await existingServers(io, config));
  if (json) {
    printJson(io, { to: config, files: files.map(moveAsJson) }, 2);
    return 0;
  }
  for (const file of files) print(io, ...describeMove(file, plan, showFacet));
  const changes = planChanges(plan, setup, (folder) => findConfig("toolpacks", folder) !== undefined);
  if (plan.files.length === 0) print(io, "there is nothing to move");
  else if (apply) {
    // An unreadable record stops the import here: its changes could not be undone.
    readRecord(record);
    for (const change of changes) applyChange(change, { by, record });
    const isFoundHere = findConfig("toolpacks", io.cwd) === undefined && configIn("toolpacks", ownFolder) === config;
    printMoved(io, plan, isFoundHere ? "" : ` --config ${shellQuote(config)}`);
  } else {
    showEntries(io, changes);
    print(io, ruleNote(plan), `with --apply they move to ${config}; --undo takes it back`);
  }
  return 0;
}

/** Prints what to do after a move. The flag is that of commands that use the config file. */
function printMoved(io: Io, plan: MovePlan, flag: string): void {
  print(
    io,
    `moved to ${plan.to}: ${[...plan.added.keys()].join(", ") || "nothing new"}`,
    ruleNote(plan),
    `restart the clients; ${by} --undo takes it back`,
    `to check the servers: toolpacks doctor${flag}`,
    `to list their tools: toolpacks tools${flag}`,
  );
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
    if (isDisabled(block)) return undefined;
    try {
      return readBlock(block, { here: directory, environment }).options;
    } catch {
      return undefined;
    }
  };
  return new Map(Object.entries(config.mcpServers ?? {}).map(([name, block]) => [name, optionsOf(block)]));
}
