import { closest, ConfigurationError, errorText } from "@toolpacks/core";
import { announceWaiting, type Io, print, printError, printStyled, styleDiffLine } from "@toolpacks/terminal";
import { readRecord } from "./change-record.ts";
import { checkEntry } from "./check-entry.ts";
import { applyChange, type FileChange } from "./file-change.ts";
import { knownClients, type KnownClient } from "./known-clients.ts";
import type { Setup } from "./own-entry.ts";
import { isInstalled, type ClientPlan } from "./plan-setup.ts";
import { renderAddition, renderDiff } from "./render-change.ts";

/** Checks names of a list that the user wrote. @throws ConfigurationError that names the unknown one and the accepted ones */
export function checkNames(what: string, names: readonly string[], known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = closest(name, known);
    const hint = meant === undefined ? `; expected ${known.join(", ")}` : ` (did you mean "${meant}"?)`;
    throw new ConfigurationError(`unknown ${what} "${name}"${hint}`);
  }
}

/** The clients that the user names, else those that seem to be installed. @throws ConfigurationError for an unknown client */
export function selectClients(io: Io, ids: readonly string[], setup: Setup): readonly KnownClient[] {
  checkNames(
    "client",
    ids,
    knownClients.map(({ id }) => id),
  );
  if (ids.length === 0) return knownClients.filter((client) => isInstalled(client, setup));
  const named = knownClients.filter(({ id }) => ids.includes(id));
  for (const client of named.filter((one) => !isInstalled(one, setup))) {
    printError(io, `${setup.own.name}: ${client.name} was not found on this machine`);
  }
  return named;
}

/** Prints what changes in each file. Returns 1 if a file has a problem. */
export function showPlans(io: Io, plans: readonly ClientPlan[]): number {
  for (const { label, path, change, problem, name, keptBecause } of plans) {
    print(io, `${label}: ${path}${change !== undefined && change.content === undefined ? " (new file)" : ""}`);
    if (problem !== undefined) printError(io, `${problem}; the file is not changed`);
    else if (change === undefined) print(io, `  ${name} is not changed: ${keptBecause}`);
    else printStyled(io, ...renderDiff(change).map((line) => ["  ", styleDiffLine(line)]));
  }
  return Number(plans.some(({ problem }) => problem !== undefined));
}

/** Prints the known clients and the form of an entry that most of them read, because none was found. */
export function showNoClient(io: Io, { change }: ClientPlan): void {
  const ids = knownClients.map(({ id }) => id).join(", ");
  printError(io, `no client was found on this machine; name one: ${ids}`);
  const lines = change === undefined ? [] : renderAddition(change);
  print(io, "Other clients may read this form:", ...lines.map((line) => `  ${line}`));
}

interface WriteOptions {
  readonly setup: Setup;
  /** The command, such as `toolpacks init`, whose `--undo` takes the changes back. */
  readonly by: string;
  /** The file that records changes. */
  readonly record: string;
  /** Printed after something is written: what the user may want besides. */
  readonly offer?: string | undefined;
  /** Asks before anything is written. Default: nothing is asked. */
  readonly isAgreed?: () => Promise<boolean>;
}

/** Shows the planned changes, writes them if that is agreed, then starts each entry once. Resolves with the exit code. */
export async function writePlans(io: Io, plans: readonly ClientPlan[], options: WriteOptions): Promise<number> {
  const { setup, by, isAgreed, record, offer } = options;
  const problems = showPlans(io, plans);
  const changed = plans.filter(({ change }) => change !== undefined);
  if (isAgreed !== undefined && changed.length > 0 && !(await isAgreed())) {
    print(io, "nothing was changed");
    return problems;
  }
  // An unreadable record stops the command here: its changes could not be undone.
  readRecord(record);
  const failed = changed.filter(({ change }) => change !== undefined && !write(io, change, { by, record }));
  const written = changed.filter((plan) => !failed.includes(plan));
  if (written.length > 0) {
    print(io, `written: ${written.map(({ label }) => label).join(", ")}; ${by} --undo takes it back`);
  }
  let answering = failed.length === 0;
  for (const plan of plans) {
    if (plan.isDisabled !== true && !failed.includes(plan)) answering = (await check(io, setup, plan)) && answering;
  }
  if (written.length > 0) print(io, "Restart the clients to use it.", ...(offer === undefined ? [] : [offer]));
  return answering ? problems : 1;
}

function write(io: Io, change: FileChange, to: { readonly by: string; readonly record: string }): boolean {
  try {
    applyChange(change, to);
    return true;
  } catch (error) {
    printError(io, `${change.file}: ${errorText(error)}; the file is not changed`);
    return false;
  }
}

/** Starts an entry as its client does, and prints whether it answers. */
async function check(io: Io, setup: Setup, { name, ...file }: ClientPlan): Promise<boolean> {
  if (name === undefined) return true;
  const waiting = announceWaiting(io, new Set([file.label]));
  const result = await checkEntry(setup, file, name).finally(waiting);
  if ("tools" in result) print(io, `${file.label}: ${name} answers with ${result.tools} tools`);
  else printError(io, `${file.label}: ${name} does not answer: ${result.problem}`);
  return "tools" in result;
}
