import path from "node:path";
import { describeMove, moveNotes } from "../clients/describe-move.ts";
import { findServers } from "../clients/find-servers.ts";
import type { FoundFile } from "../clients/found-file.ts";
import { describeLeftBehind } from "../clients/left-behind.ts";
import { moveServers, planChanges, planMove, type MovePlan, type PlannedChange } from "../clients/move-servers.ts";
import { renderEntries, styleDiffLine } from "../clients/render-setup.ts";
import { undoChanges } from "../clients/undo-changes.ts";
import { configIn, findConfig } from "@toolpacks/settings";
import { ConfigurationError } from "../configuration-error.ts";
import { printStyled } from "../print-terminal.ts";
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
    if (undoChanges("import-clients", print)) print(...(await describeLeftBehind()));
    else process.exitCode = 1;
    return;
  }
  const reportProblem = (line: string) => printError(`toolpacks: ${line}; the file is skipped`);
  const files = findServers(process.cwd(), { ...(only && { only }), shared }, reportProblem);
  checkNames(only, files);
  const config = path.resolve(to ?? path.join(settingsFolder(), "toolpacks.config.jsonc"));
  const plan = await planMove(files, config);
  if (json) return printJson({ to: config, files: files.map(describeFile) }, 2);
  for (const file of files) print(...describeMove(file, plan));
  if (plan.files.length === 0) return print("there is nothing to move");
  const changes = planChanges(plan);
  if (!apply) return preview(plan, changes);
  moveServers(changes);
  print(`moved to ${config}: ${[...plan.added.keys()].join(", ") || "nothing new"}`);
  const flags = isFoundHere(config) ? "" : ` --config ${shellQuote(config)}`;
  print(
    ...moveNotes(plan),
    "restart the clients; toolpacks import-clients --undo takes it back",
    `to check the servers: toolpacks doctor${flags}`,
    `to list their tools: toolpacks tools${flags}`,
  );
}

/** Prints the entries that change in the clients' files. */
function preview(plan: MovePlan, changes: readonly PlannedChange[]): void {
  for (const { change } of changes.filter((one) => one.config !== undefined)) {
    print(`changes of ${change.file}:`);
    printStyled(...renderEntries(change).map((line) => ["  ", styleDiffLine(line)]));
  }
  print(...moveNotes(plan), `with --apply they move to ${plan.to}; --undo takes it back`);
}

/** Whether commands in the current folder use a config file without `--config`. */
function isFoundHere(config: string): boolean {
  return findConfig("toolpacks", process.cwd()) === undefined && configIn("toolpacks", settingsFolder()) === config;
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
