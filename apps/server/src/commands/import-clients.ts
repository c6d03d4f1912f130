import path from "node:path";
import envPaths from "env-paths";
import { findServers, type FoundFile, type FoundServer } from "../clients/find-servers.ts";
import { move, planMove } from "../clients/move-servers.ts";
import { undoImports } from "../clients/undo-import.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { print, printError } from "../print.ts";

export interface ImportFlags {
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly to?: string;
  readonly only?: readonly string[];
  readonly shared?: boolean;
}

/** `toolpacks import-clients`: finds the servers that other clients start, and moves them behind toolpacks when told to. */
export async function importClients({
  apply = false,
  undo = false,
  to,
  only,
  shared = false,
}: ImportFlags): Promise<void> {
  if (undo && apply) throw new ConfigurationError("--apply and --undo: expected one of them");
  if (undo) {
    if (!undoImports(print)) process.exitCode = 1;
    return;
  }
  const problem = (line: string) => printError(`toolpacks: ${line}; it is passed over`);
  const files = findServers(process.cwd(), { ...(only && { only }), shared }, problem);
  checkNamed(only, files);
  const config = path.resolve(to ?? path.join(envPaths("toolpacks", { suffix: "" }).config, "toolpacks.config.jsonc"));
  const plan = await planMove(files, config);
  for (const file of files) show(file);
  if (plan.files.length === 0) return print("there is nothing to move");
  if (!apply) return print(`with --apply they move to ${config}; --undo takes it back`);
  move(plan);
  print(`moved to ${config}: ${[...plan.added.keys()].join(", ") || "nothing new"}`);
  print("restart the clients; toolpacks import-clients --undo takes it back");
}

function checkNamed(only: readonly string[] = [], files: readonly FoundFile[]): void {
  const found = new Set(files.flatMap(({ servers }) => servers.map(({ name }) => name)));
  for (const name of only) {
    if (found.has(name)) continue;
    throw new ConfigurationError(`--only: no server is named ${name}; there are ${[...found].join(", ") || "none"}`);
  }
}

function show({ client, path: file, servers, project, isShared }: FoundFile): void {
  print(`${client}: ${file}`);
  for (const server of servers) print(`  ${server.name}${wordsOn(server)}`);
  if (servers.every(({ fate }) => "stays" in fate)) return;
  if (project !== undefined) print("  what moves from here is there in every project");
  if (isShared === true) print("  this file is shared: it will name programs and files of this machine");
}

function wordsOn({ fate }: FoundServer): string {
  if ("stays" in fate) return `, which stays: ${fate.stays}`;
  return fate.moved.remarks.map((remark) => `; ${remark}`).join("");
}
