import { isObject } from "@toolpacks/core";
import { type Io, print, printStyled, shellQuote, styleDiffLine } from "@toolpacks/terminal";
import { addressFields } from "@toolpacks/upstream/server-block";
import type { FoundFile, FoundServer } from "./find-servers.ts";
import type { FileChange } from "./file-change.ts";
import { renderEntries } from "./render-change.ts";
import type { MovePlan } from "./move-servers.ts";

/** Shows the name under which our server serves a server of the config file. */
type ShowName = (key: string, keys: readonly string[]) => string;

/** Describes the servers in a file: which move, under which names, and why others stay. */
export function describeMove(file: FoundFile, plan: MovePlan, showName: ShowName): readonly string[] {
  const { label, path, servers, project, isShared } = file;
  const moves = servers.some(({ decision }) => "moved" in decision);
  return [
    `${label}: ${path}`,
    ...servers.flatMap((server) => [
      `  ${describeName(server, plan, showName)}${describeDecision(server)}`,
      ...describeMoved(server).map((line) => `    ${line}`),
    ]),
    ...(moves && project !== undefined ? ["  what moves from here is there in every project"] : []),
    ...(moves && isShared === true ? ["  this file is shared: it will name programs and files of this machine"] : []),
  ];
}

/** The name of a server, with the name that it gets. */
function describeName({ name, decision }: FoundServer, { keyOf, keys }: MovePlan, showName: ShowName): string {
  const key = "moved" in decision ? keyOf.get(decision.moved) : undefined;
  if (key === undefined) return name;
  const shown = showName(key, keys);
  return key === name ? shown : `${name} → ${shown} (another server has the name ${name})`;
}

/** The command or address of a server to move. Values of variables and headers may be secrets and are not shown. */
function describeMoved({ decision }: FoundServer): readonly string[] {
  if ("keptBecause" in decision) return [];
  const { command, args, env, envFile, cwd, headers, ...others } = decision.moved.block;
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].filter((word) => word !== undefined);
  const addresses = addressFields.flatMap((field) => others[field] ?? []);
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

/** Prints the entries that change in the files of clients. */
export function showEntries(io: Io, changes: readonly FileChange[]): void {
  for (const change of changes.filter(({ file, config }) => file !== config)) {
    print(io, `changes of ${change.file}:`);
    printStyled(io, ...renderEntries(change).map((line) => ["  ", styleDiffLine(line)]));
  }
}

/** The servers in a file and whether they move, as JSON. Names only: a block may hold secrets. */
export function moveAsJson({ label, path: file, servers }: FoundFile) {
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
