import { existsSync } from "node:fs";
import path from "node:path";
import {
  applyChange,
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
import { isObject } from "@toolpacks/core";
import { checkBlock, readBlock, refusalText } from "@toolpacks/upstream/server-block";
import { describeMove } from "../clients/describe-move.ts";
import { describeLeftBehind } from "../clients/left-behind.ts";
import { changeRecord, thisSetup, withClientFiles } from "../clients/this-setup.ts";
import { configIn, findConfig, readConfig } from "@toolpacks/settings";
import { configDefinition } from "../config/config-definition.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { printStyled, styleDiffLine } from "../print-terminal.ts";
import { print, printError, printJson } from "../print.ts";
import { shellQuote } from "../shell-quote.ts";
import { settingsFolder } from "../user-folders.ts";

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
export function importClients(flags: ImportFlags): Promise<void> {
  return withClientFiles(() => move(flags));
}

async function move({ apply, undo, to, only, shared = false, json }: ImportFlags): Promise<void> {
  if (undo && apply) throw new ConfigurationError("--apply and --undo: expected one of them");
  if (json && (undo || apply)) {
    throw new ConfigurationError("--json: only shows what would move; drop --json, or --apply and --undo");
  }
  const setup = thisSetup();
  const record = changeRecord();
  if (undo) {
    if (undoChanges(by, { record, machine: setup, report: print })) print(...describeLeftBehind());
    else process.exitCode = 1;
    return;
  }
  const reportProblem = (line: string) => printError(`toolpacks: ${line}; the file is skipped`);
  const files = findServers(setup, { only, shared, reportProblem, readBlock: checkedBlock });
  checkOnly(only, files);
  const config = path.resolve(to ?? path.join(settingsFolder(), "toolpacks.config.jsonc"));
  const plan = planMove(files, config, await existingServers(config));
  if (json) return printJson({ to: config, files: files.map(describeFile) }, 2);
  for (const file of files) print(...describeMove(file, plan));
  if (plan.files.length === 0) return print("there is nothing to move");
  const changes = planChanges(plan, setup, (folder) => findConfig("toolpacks", folder) !== undefined);
  if (!apply) return preview(plan, changes);
  // An unreadable record stops the import here: its changes could not be undone.
  readRecord(record);
  for (const change of changes) applyChange(change, { by, record });
  const flag = isFoundHere(config) ? "" : ` --config ${shellQuote(config)}`;
  print(
    `moved to ${config}: ${[...plan.added.keys()].join(", ") || "nothing new"}`,
    ruleNote(plan),
    `restart the clients; ${by} --undo takes it back`,
    `to check the servers: toolpacks doctor${flag}`,
    `to list their tools: toolpacks tools${flag}`,
  );
}

/** Prints the entries that change in the clients' files. */
function preview(plan: MovePlan, changes: readonly FileChange[]): void {
  for (const change of changes.filter(({ file, config }) => file !== config)) {
    print(`changes of ${change.file}:`);
    printStyled(...renderEntries(change).map((line) => ["  ", styleDiffLine(line)]));
  }
  print(ruleNote(plan), `with --apply they move to ${plan.to}; --undo takes it back`);
}

function ruleNote({ files }: MovePlan): string {
  const { name } = files.flatMap(({ servers }) => servers).find(({ decision }) => "moved" in decision) ?? {};
  return `permission rules of a client that name the old tools, such as mcp__${name}__…, no longer match`;
}

/** Parses a block as our server does, with this process's environment. */
function checkedBlock(block: object, folder: string) {
  try {
    return checkBlock(block, { here: folder, environment: process.env });
  } catch (error) {
    throw new Error(refusalText(error), { cause: error });
  }
}

/** The options of each server in our config file; undefined for one that is not used. @throws ConfigurationError when it cannot be changed or read */
async function existingServers(to: string): Promise<ReadonlyMap<string, object | undefined>> {
  if (!/\.jsonc?$/.test(to)) throw new ConfigurationError(`${to}: expected a .json or .jsonc file; name one with --to`);
  if (!existsSync(to)) return new Map();
  const { config, directory } = await readConfig(configDefinition, to);
  const optionsOf = (block: unknown) => {
    if (isObject(block) && isDisabled(block)) return undefined;
    try {
      return readBlock(block, { here: directory, environment: process.env }).options;
    } catch {
      return undefined;
    }
  };
  return new Map(Object.entries(config.mcpServers ?? {}).map(([name, block]) => [name, optionsOf(block)]));
}

/** Whether commands in the current folder use a config file without `--config`. */
function isFoundHere(config: string): boolean {
  return findConfig("toolpacks", process.cwd()) === undefined && configIn("toolpacks", settingsFolder()) === config;
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
