import { errorText } from "@toolpacks/core";
import { checkEntry } from "../clients/check-entry.ts";
import { applyChange, type FileChange } from "../clients/change-file.ts";
import { readRecord } from "../clients/change-record.ts";
import { foldersOf, type ClientFolders } from "../clients/client-folders.ts";
import { knownClients, type ClientFile, type KnownClient } from "../clients/known-clients.ts";
import { isInstalled, planSetup, type ClientPlan, type SetupRequest } from "../clients/plan-setup.ts";
import { renderAddition, renderDiff, styleDiffLine } from "../clients/render-setup.ts";
import { checkNames, defaultChoices, readRoot, type SetupChoices } from "../clients/setup-choices.ts";
import { undoChanges } from "../clients/undo-changes.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { printStyled } from "../print-terminal.ts";
import { print, printError } from "../print.ts";
import { announceWaiting, LastLines } from "./announce-waiting.ts";

export interface InitFlags {
  readonly root?: readonly string[];
  readonly packs?: readonly string[];
  readonly write?: boolean;
  readonly deny?: readonly string[];
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly undo?: boolean;
}

const clientIds = knownClients.map(({ id }) => id);
const packNames = bundledPacks.flatMap(({ name, isOptional }) => (isOptional === true ? [] : [name]));

/** `toolpacks init [client…]`: adds toolpacks to the config files of the clients on this machine, and starts each entry once. */
export async function init(ids: readonly string[], flags: InitFlags): Promise<void> {
  const modes = (["undo", "print", "yes"] as const).filter((flag) => flags[flag] === true);
  if (modes.length > 1) {
    throw new ConfigurationError(`${modes.map((flag) => `--${flag}`).join(" and ")}: expected one of them`);
  }
  if (flags.undo === true) {
    if (!undoChanges("init", print)) process.exitCode = 1;
    return;
  }
  const request = { chosen: choicesOf(flags), packs: packNames, defaults: defaultChoices(packNames) };
  const folders = foldersOf(process.cwd());
  const clients = selectClients(ids, folders);
  if (clients.length === 0) return showNoClient(planSetup(exampleClient(), folders, request));
  if (flags.print === true) return showDiffs(planAll(clients, folders, request));
  if (flags.yes === true) {
    const plans = planAll(clients, folders, request);
    showDiffs(plans);
    return writeAll(plans);
  }
  if (process.stdin.isTTY && process.stdout.isTTY)
    return askAndWrite(clients, { folders, request, asksForClients: ids.length === 0 });
  for (const plan of planAll(clients, folders, request)) showAddition(plan);
  printError("toolpacks: init: needs a terminal to ask; add the lines above by hand, or use --yes to write them");
  process.exitCode = 1;
}

/** The choices that flags make. @throws ConfigurationError for a root that is not a folder, or an unknown pack */
function choicesOf({ root, packs, write, deny }: InitFlags): Partial<SetupChoices> {
  if (packs !== undefined) checkNames("pack", packs, packNames);
  return {
    ...(root !== undefined && { roots: root.map(readRoot) }),
    ...(packs !== undefined && { packs }),
    ...(write !== undefined && { write }),
    ...(deny !== undefined && { deny }),
  };
}

/** The clients that the user names, else those that seem to be installed. */
function selectClients(ids: readonly string[], folders: ClientFolders): readonly KnownClient[] {
  checkNames("client", ids, clientIds);
  const installed = knownClients.filter((client) => isInstalled(client, folders));
  if (ids.length === 0) return installed;
  const named = knownClients.filter(({ id }) => ids.includes(id));
  for (const client of named) {
    if (!installed.includes(client)) printError(`toolpacks: ${client.name} was not found on this machine`);
  }
  return named;
}

function planAll(
  clients: readonly KnownClient[],
  folders: ClientFolders,
  request: SetupRequest,
): readonly ClientPlan[] {
  return clients.map((client) => planSetup(client, folders, request));
}

interface Interview {
  readonly folders: ClientFolders;
  readonly request: SetupRequest;
  readonly asksForClients: boolean;
}

async function askAndWrite(
  found: readonly KnownClient[],
  { folders, request, asksForClients }: Interview,
): Promise<void> {
  const { askChoices, askClients, askToWrite, Cancelled } = await import("../clients/ask-setup.ts");
  try {
    const clients = asksForClients ? await askClients(found) : found;
    const chosen = await askChoices(request.chosen, request.defaults, packNames);
    const plans = planAll(clients, folders, { ...request, chosen });
    showDiffs(plans);
    const isAgreed = plans.every(({ change }) => change === undefined) || (await askToWrite());
    return isAgreed ? await writeAll(plans) : print("nothing was changed");
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    process.exitCode = 1;
  }
}

/** Prints what changes in each file. */
function showDiffs(plans: readonly ClientPlan[]): void {
  for (const plan of plans) {
    print(
      `${plan.label}: ${plan.path}${plan.change !== undefined && plan.change.content === undefined ? " (new file)" : ""}`,
    );
    if (plan.problem !== undefined) showProblem(plan.problem);
    else if (plan.change === undefined) print(`  ${plan.name} is not changed: ${plan.keptBecause}`);
    else printStyled(...renderDiff(plan.change).map((line) => ["  ", styleDiffLine(line)]));
  }
}

function showProblem(problem: string): void {
  printError(`toolpacks: ${problem}; the file is not changed`);
  process.exitCode = 1;
}

/** Prints what a person adds to a client's file. */
function showAddition({ label, path: file, change, keptBecause, name, problem }: ClientPlan): void {
  if (problem !== undefined) return showProblem(problem);
  if (change === undefined) return print(`${label}: ${file}`, `  ${name} is not changed: ${keptBecause}`);
  print(`${label}: add to ${file}`, ...renderAddition(change).map((line) => `  ${line}`));
}

function showNoClient(example: ClientPlan): void {
  printError(`toolpacks: init: no client was found on this machine; name one: ${clientIds.join(", ")}`);
  if (example.change !== undefined) {
    print("Other clients may read this form:", ...renderAddition(example.change).map((line) => `  ${line}`));
  }
  process.exitCode = 1;
}

/** Claude Desktop: most clients read its form. */
function exampleClient(): KnownClient {
  const [first] = knownClients;
  if (first === undefined) throw new Error("no client is known");
  return first;
}

/** Writes the planned changes, then starts each entry once. */
async function writeAll(plans: readonly ClientPlan[]): Promise<void> {
  // An unreadable record stops the command here: its changes could not be undone.
  readRecord();
  const written = plans.filter((plan) => plan.change !== undefined && write(plan.change));
  if (written.length > 0)
    print(`written: ${written.map(({ label }) => label).join(", ")}; toolpacks init --undo takes it back`);
  const failed = new Set(plans.filter((plan) => plan.change !== undefined && !written.includes(plan)));
  const entries = plans.filter((plan) => plan.name !== undefined && plan.isDisabled !== true && !failed.has(plan));
  for (const { name = "", ...file } of entries) await check(file, name);
  if (written.length > 0) print("Restart the clients to use it.");
}

function write(change: FileChange): boolean {
  try {
    applyChange(change, { by: "init", config: undefined });
    return true;
  } catch (error) {
    showProblem(`${change.file}: ${errorText(error)}`);
    return false;
  }
}

/** Starts an entry as its client does, and prints whether it answers. */
async function check(file: ClientFile, name: string): Promise<void> {
  const waiting = announceWaiting(new Set([file.label]), new LastLines());
  const result = await checkEntry(file, name).finally(waiting);
  if ("tools" in result) return print(`${file.label}: ${name} answers with ${result.tools} tools`);
  printError(`toolpacks: ${file.label}: ${name} does not answer: ${result.problem}`);
  process.exitCode = 1;
}
