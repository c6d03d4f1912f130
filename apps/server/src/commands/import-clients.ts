import path from "node:path";
import { isObject } from "@toolpacks/core";
import { findServers } from "../clients/find-servers.ts";
import type { FoundFile, FoundServer } from "../clients/found-file.ts";
import { moveServers, planMove } from "../clients/move-servers.ts";
import { undoChanges } from "../clients/undo-changes.ts";
import { ConfigurationError } from "../configuration-error.ts";
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

/** `toolpacks import-clients`: finds the servers that other clients start, and moves them behind toolpacks with `--apply`. */
export async function importClients({
  apply = false,
  undo = false,
  to,
  only,
  shared = false,
  json = false,
}: ImportFlags): Promise<void> {
  if (undo && apply) throw new ConfigurationError("--apply and --undo: expected one of them");
  if (json && (undo || apply)) {
    throw new ConfigurationError("--json: only shows what would move; drop --json, or --apply and --undo");
  }
  if (undo) {
    if (!undoChanges("import-clients", print)) process.exitCode = 1;
    return;
  }
  const reportProblem = (line: string) => printError(`toolpacks: ${line}; the file is skipped`);
  const files = findServers(process.cwd(), { ...(only && { only }), shared }, reportProblem);
  checkNames(only, files);
  const config = path.resolve(to ?? path.join(settingsFolder(), "toolpacks.config.jsonc"));
  const plan = await planMove(files, config);
  if (json) return printJson({ to: config, files: files.map(describeFile) }, 2);
  for (const file of files) show(file);
  if (plan.files.length === 0) return print("there is nothing to move");
  if (!apply) return print(`with --apply they move to ${config}; --undo takes it back`);
  moveServers(plan);
  print(`moved to ${config}: ${[...plan.added.keys()].join(", ") || "nothing new"}`);
  print("restart the clients; toolpacks import-clients --undo takes it back");
}

function checkNames(only: readonly string[] = [], files: readonly FoundFile[]): void {
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

function show({ label, path: file, servers, project, isShared }: FoundFile): void {
  print(`${label}: ${file}`);
  for (const server of servers) {
    print(`  ${server.name}${describeDecision(server)}`, ...describeMoved(server).map((line) => `    ${line}`));
  }
  if (servers.every(({ decision }) => "keptBecause" in decision)) return;
  if (project !== undefined) print("  what moves from here is there in every project");
  if (isShared === true) print("  this file is shared: it will name programs and files of this machine");
}

/** The command or address of a server to move. Values of variables and headers may be secrets and are not shown. */
function describeMoved({ decision }: FoundServer): readonly string[] {
  if ("keptBecause" in decision) return [];
  const { command, args, env, envFile, cwd, headers, ...others } = decision.moved.block;
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].filter((word) => word !== undefined);
  const addresses = ["url", "serverUrl", "httpUrl"].flatMap((field) => others[field] ?? []);
  const named = Object.entries({ env, headers }).flatMap(([field, record]) =>
    isObject(record) && Object.keys(record).length > 0 ? [`${field}: ${Object.keys(record).join(", ")}`] : [],
  );
  return [
    ...(words.length === 0 ? [] : [`starts ${words.map(showWord).join(" ")}`]),
    ...addresses.map((address) => `connects to ${showWord(address)}`),
    ...named,
    ...(envFile === undefined ? [] : [`envFile: ${showWord(envFile)}`]),
    ...(cwd === undefined ? [] : [`in ${showWord(cwd)}`]),
  ];
}

function showWord(value: unknown): string {
  return typeof value === "string" ? shellQuote(value) : JSON.stringify(value);
}

function describeDecision({ decision }: FoundServer): string {
  if ("keptBecause" in decision) return `, which stays: ${decision.keptBecause}`;
  return decision.moved.warnings.map((warning) => `; ${warning}`).join("");
}
