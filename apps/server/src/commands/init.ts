import {
  applyChange,
  isInstalled,
  knownClients,
  planSetup,
  readRecord,
  renderAddition,
  renderDiff,
  undoChanges,
  type ClientPlan,
  type FileChange,
  type KnownClient,
  type Setup,
} from "@toolpacks/client-config";
import { errorText } from "@toolpacks/core";
import { checkEntry } from "../clients/check-entry.ts";
import { checkNames, entryArguments, packNames, readRoot, type SetupChoices } from "../clients/setup-choices.ts";
import { changeRecord, thisSetup, withClientFiles } from "../clients/this-setup.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { printStyled, styleDiffLine } from "../print-terminal.ts";
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

const by = "toolpacks init";
const clientIds = knownClients.map(({ id }) => id);

/** `toolpacks init [client…]`: adds toolpacks to the config files of the clients on this machine, and starts each entry once. */
export function init(ids: readonly string[], flags: InitFlags): Promise<void> {
  return withClientFiles(() => initClients(ids, flags));
}

async function initClients(ids: readonly string[], flags: InitFlags): Promise<void> {
  const modes = (["undo", "print", "yes"] as const).filter((flag) => flags[flag] === true);
  if (modes.length > 1) {
    throw new ConfigurationError(`${modes.map((flag) => `--${flag}`).join(" and ")}: expected one of them`);
  }
  const setup = thisSetup();
  if (flags.undo === true) {
    if (!undoChanges(by, { record: changeRecord(), machine: setup, report: print })) process.exitCode = 1;
    return;
  }
  const chosen = choicesOf(flags);
  const clients = selectClients(ids, setup);
  const planAll = (choices = chosen, of = clients) => of.map((one) => planSetup(one, setup, entryArguments(choices)));
  // Most clients read the form of the first one.
  if (clients.length === 0) return showNoClient(planAll(chosen, knownClients.slice(0, 1)));
  if (flags.print === true) return showDiffs(planAll());
  if (flags.yes === true) {
    const plans = planAll();
    showDiffs(plans);
    return writeAll(plans);
  }
  if (process.stdin.isTTY && process.stdout.isTTY) {
    return askAndWrite(planAll, { chosen, clients, asksForClients: ids.length === 0 });
  }
  for (const plan of planAll()) showAddition(plan);
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
function selectClients(ids: readonly string[], setup: Setup): readonly KnownClient[] {
  checkNames("client", ids, clientIds);
  const installed = knownClients.filter((client) => isInstalled(client, setup));
  if (ids.length === 0) return installed;
  const named = knownClients.filter(({ id }) => ids.includes(id));
  for (const client of named) {
    if (!installed.includes(client)) printError(`toolpacks: ${client.name} was not found on this machine`);
  }
  return named;
}

interface Interview {
  readonly chosen: Partial<SetupChoices>;
  readonly clients: readonly KnownClient[];
  readonly asksForClients: boolean;
}

type PlanAll = (choices: SetupChoices, clients: readonly KnownClient[]) => readonly ClientPlan[];

async function askAndWrite(planAll: PlanAll, { chosen, clients: found, asksForClients }: Interview): Promise<void> {
  const { askChoices, askClients, askToWrite, Cancelled } = await import("../clients/ask-setup.ts");
  try {
    const clients = asksForClients ? await askClients(found) : found;
    const plans = planAll(await askChoices(chosen), clients);
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
  for (const { label, path, change, problem, name, keptBecause } of plans) {
    print(`${label}: ${path}${change !== undefined && change.content === undefined ? " (new file)" : ""}`);
    if (problem !== undefined) showProblem(problem);
    else if (change === undefined) print(`  ${name} is not changed: ${keptBecause}`);
    else printStyled(...renderDiff(change).map((line) => ["  ", styleDiffLine(line)]));
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

function showNoClient(examples: readonly ClientPlan[]): void {
  printError(`toolpacks: init: no client was found on this machine; name one: ${clientIds.join(", ")}`);
  const lines = examples.flatMap(({ change }) => (change === undefined ? [] : renderAddition(change)));
  print("Other clients may read this form:", ...lines.map((line) => `  ${line}`));
  process.exitCode = 1;
}

/** Writes the planned changes, then starts each entry once. */
async function writeAll(plans: readonly ClientPlan[]): Promise<void> {
  // An unreadable record stops the command here: its changes could not be undone.
  readRecord(changeRecord());
  const written = plans.filter((plan) => plan.change !== undefined && write(plan.change));
  if (written.length > 0) print(`written: ${written.map(({ label }) => label).join(", ")}; ${by} --undo takes it back`);
  const failed = new Set(plans.filter((plan) => plan.change !== undefined && !written.includes(plan)));
  for (const plan of plans) if (plan.isDisabled !== true && !failed.has(plan)) await check(plan);
  if (written.length > 0) print("Restart the clients to use it.");
}

function write(change: FileChange): boolean {
  try {
    applyChange(change, { by, record: changeRecord() });
    return true;
  } catch (error) {
    showProblem(`${change.file}: ${errorText(error)}`);
    return false;
  }
}

/** Starts an entry as its client does, and prints whether it answers. */
async function check({ name, ...file }: ClientPlan): Promise<void> {
  if (name === undefined) return;
  const waiting = announceWaiting(new Set([file.label]), new LastLines());
  const result = await checkEntry(file, name).finally(waiting);
  if ("tools" in result) return print(`${file.label}: ${name} answers with ${result.tools} tools`);
  printError(`toolpacks: ${file.label}: ${name} does not answer: ${result.problem}`);
  process.exitCode = 1;
}
