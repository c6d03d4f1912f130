import path from "node:path";
import envPaths from "env-paths";
import { findServers, type FoundFile, type FoundServer } from "../clients/find-servers.ts";
import { move, planMove } from "../clients/move-servers.ts";
import { undoImports } from "../clients/undo-import.ts";
import { ConfigurationError } from "../configuration-error.ts";

export interface ImportFlags {
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly to?: string;
  readonly only?: readonly string[];
  readonly shared?: boolean;
}

const tell = (line: string) => void process.stdout.write(`${line}\n`);

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
    if (!undoImports(tell)) process.exitCode = 1;
    return;
  }
  const problem = (line: string) => process.stderr.write(`toolpacks: ${line}; it is passed over\n`);
  const files = findServers(process.cwd(), { ...(only && { only }), shared }, problem);
  checkNamed(only, files);
  const config = path.resolve(to ?? path.join(envPaths("toolpacks", { suffix: "" }).config, "toolpacks.config.jsonc"));
  const plan = await planMove(files, config);
  for (const file of files) show(file);
  if (plan.files.length === 0) return tell("there is nothing to move");
  if (!apply) return tell(`with --apply they move to ${config}; --undo takes it back`);
  move(plan);
  tell(`moved to ${config}: ${[...plan.added.keys()].join(", ") || "nothing new"}`);
  tell("restart the clients; toolpacks import-clients --undo takes it back");
}

function checkNamed(only: readonly string[] = [], files: readonly FoundFile[]): void {
  const found = new Set(files.flatMap(({ servers }) => servers.map(({ name }) => name)));
  for (const name of only) {
    if (found.has(name)) continue;
    throw new ConfigurationError(`--only: no server is named ${name}; there are ${[...found].join(", ") || "none"}`);
  }
}

function show({ client, path: file, servers, project, isShared }: FoundFile): void {
  tell(`${client}: ${file}`);
  for (const server of servers) tell(`  ${server.name}${wordsOn(server)}`);
  if (servers.every(({ fate }) => "stays" in fate)) return;
  if (project !== undefined) tell("  what moves from here is there in every project");
  if (isShared === true) tell("  this file is shared: it will name programs and files of this machine");
}

function wordsOn({ fate }: FoundServer): string {
  if ("stays" in fate) return `, which stays: ${fate.stays}`;
  return fate.moved.remarks.map((remark) => `; ${remark}`).join("");
}
