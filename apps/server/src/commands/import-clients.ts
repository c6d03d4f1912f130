import path from "node:path";
import envPaths from "env-paths";
import { findServers, type FoundFile } from "../clients/find-servers.ts";
import { undoAll } from "../clients/import-record.ts";
import { move, planMove } from "../clients/move-servers.ts";

interface ImportFlags {
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly to?: string;
}

const tell = (line: string) => void process.stdout.write(`${line}\n`);

/** `toolpacks import-clients`: finds the servers that other clients start, and moves them behind toolpacks when told to. */
export function importClients({ apply = false, undo = false, to }: ImportFlags): void {
  if (undo) {
    if (!undoAll(tell)) process.exitCode = 1;
    return;
  }
  const problem = (line: string) => process.stderr.write(`toolpacks: ${line}; it is passed over\n`);
  const files = findServers(process.cwd(), problem);
  const config = path.resolve(to ?? path.join(envPaths("toolpacks", { suffix: "" }).config, "toolpacks.config.jsonc"));
  for (const file of files) show(file);
  const plan = planMove(files, config);
  if (plan.files.length === 0) return tell("there is nothing to move");
  if (!apply) return tell(`with --apply they move to ${config}; --undo takes it back`);
  move(plan);
  tell(`moved to ${config}: ${[...plan.added.keys()].join(", ") || "nothing new"}`);
  tell("restart the clients; toolpacks import-clients --undo takes it back");
}

function show({ client, path: file, servers }: FoundFile): void {
  tell(`${client}: ${file}`);
  for (const { name, stays } of servers) tell(`  ${name}${stays === undefined ? "" : `, which stays: ${stays}`}`);
}
