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
import { ConfigurationError, errorText } from "@toolpacks/core";
import { checkEntry } from "../clients/check-entry.ts";
import { checkNames, entryArguments, packNames, readRoot, type SetupChoices } from "../clients/setup-choices.ts";
import { changeRecord, thisSetup } from "../clients/this-setup.ts";
import { announceWaiting, type Io, printStyled, styleDiffLine, print, printError } from "@toolpacks/terminal";

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
export async function init(io: Io, flags: InitFlags, ids: readonly string[]): Promise<number> {
  const modes = (["undo", "print", "yes"] as const).filter((flag) => flags[flag] === true);
  if (modes.length > 1) {
    throw new ConfigurationError(`${modes.map((flag) => `--${flag}`).join(" and ")}: expected one of them`);
  }
  const setup = thisSetup(io);
  if (flags.undo === true) {
    const report = (line: string) => print(io, line);
    return Number(!undoChanges(by, { record: changeRecord(io), machine: setup, report }));
  }
  const chosen = choicesOf(flags, io.cwd);
  const clients = selectClients(io, ids, setup);
  const planAll = (choices = chosen, of = clients) =>
    of.map((one) => planSetup(one, setup, entryArguments(choices, io.cwd)));
  // Most clients read the form of the first one.
  if (clients.length === 0) return showNoClient(io, planAll(chosen, knownClients.slice(0, 1)));
  if (flags.print === true) return showDiffs(io, planAll());
  if (flags.yes === true) return writeAll(io, planAll());
  if (io.stdin.isTTY === true && io.stdout.isTTY === true) {
    return askAndWrite(io, planAll, { chosen, clients, asksForClients: ids.length === 0 });
  }
  for (const plan of planAll()) showAddition(io, plan);
  printError(io, "toolpacks: init: needs a terminal to ask; add the lines above by hand, or use --yes to write them");
  return 1;
}

/** The choices that flags make. @throws ConfigurationError for a root that is not a folder, or an unknown pack */
function choicesOf({ root, packs, write, deny }: InitFlags, current: string): Partial<SetupChoices> {
  if (packs !== undefined) checkNames("pack", packs, packNames);
  return {
    ...(root !== undefined && { roots: root.map((one) => readRoot(one, current)) }),
    ...(packs !== undefined && { packs }),
    ...(write !== undefined && { write }),
    ...(deny !== undefined && { deny }),
  };
}

/** The clients that the user names, else those that seem to be installed. */
function selectClients(io: Io, ids: readonly string[], setup: Setup): readonly KnownClient[] {
  checkNames("client", ids, clientIds);
  const installed = knownClients.filter((client) => isInstalled(client, setup));
  if (ids.length === 0) return installed;
  const named = knownClients.filter(({ id }) => ids.includes(id));
  for (const { name } of named.filter((client) => !installed.includes(client))) {
    printError(io, `toolpacks: ${name} was not found on this machine`);
  }
  return named;
}

interface Interview {
  readonly chosen: Partial<SetupChoices>;
  readonly clients: readonly KnownClient[];
  readonly asksForClients: boolean;
}

type PlanAll = (choices: SetupChoices, clients: readonly KnownClient[]) => readonly ClientPlan[];

async function askAndWrite(io: Io, planAll: PlanAll, interview: Interview): Promise<number> {
  const { askChoices, askClients, askToWrite, Cancelled } = await import("../clients/ask-setup.ts");
  const { chosen, clients: found, asksForClients } = interview;
  try {
    const clients = asksForClients ? await askClients(io, found) : found;
    const plans = planAll(await askChoices(io, chosen), clients);
    return await writeAll(io, plans, () => askToWrite(io));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    return 1;
  }
}

/** Prints what changes in each file. Returns 1 if a file has a problem. */
function showDiffs(io: Io, plans: readonly ClientPlan[]): number {
  for (const { label, path, change, problem, name, keptBecause } of plans) {
    print(io, `${label}: ${path}${change !== undefined && change.content === undefined ? " (new file)" : ""}`);
    if (problem !== undefined) showProblem(io, problem);
    else if (change === undefined) print(io, `  ${name} is not changed: ${keptBecause}`);
    else printStyled(io, ...renderDiff(change).map((line) => ["  ", styleDiffLine(line)]));
  }
  return Number(plans.some(({ problem }) => problem !== undefined));
}

function showProblem(io: Io, problem: string): void {
  printError(io, `toolpacks: ${problem}; the file is not changed`);
}

/** Prints what a person adds to a client's file. */
function showAddition(io: Io, { label, path: file, change, keptBecause, name, problem }: ClientPlan): void {
  if (problem !== undefined) return showProblem(io, problem);
  if (change === undefined) return print(io, `${label}: ${file}`, `  ${name} is not changed: ${keptBecause}`);
  print(io, `${label}: add to ${file}`, ...renderAddition(change).map((line) => `  ${line}`));
}

function showNoClient(io: Io, examples: readonly ClientPlan[]): number {
  printError(io, `toolpacks: init: no client was found on this machine; name one: ${clientIds.join(", ")}`);
  const lines = examples.flatMap(({ change }) => (change === undefined ? [] : renderAddition(change)));
  print(io, "Other clients may read this form:", ...lines.map((line) => `  ${line}`));
  return 1;
}

/** Shows the planned changes, writes them if that is agreed, then starts each entry once. */
async function writeAll(io: Io, plans: readonly ClientPlan[], isAgreed?: () => Promise<boolean>): Promise<number> {
  const problems = showDiffs(io, plans);
  const changed = plans.filter(({ change }) => change !== undefined);
  if (isAgreed !== undefined && changed.length > 0 && !(await isAgreed())) {
    print(io, "nothing was changed");
    return problems;
  }
  // An unreadable record stops the command here: its changes could not be undone.
  readRecord(changeRecord(io));
  const failed = changed.filter(({ change }) => change !== undefined && !write(io, change));
  const written = changed.filter((plan) => !failed.includes(plan));
  if (written.length > 0) {
    print(io, `written: ${written.map(({ label }) => label).join(", ")}; ${by} --undo takes it back`);
  }
  let answering = failed.length === 0;
  for (const plan of plans) {
    if (plan.isDisabled !== true && !failed.includes(plan)) answering = (await check(io, plan)) && answering;
  }
  if (written.length > 0) print(io, "Restart the clients to use it.");
  return answering ? problems : 1;
}

function write(io: Io, change: FileChange): boolean {
  try {
    applyChange(change, { by, record: changeRecord(io) });
    return true;
  } catch (error) {
    showProblem(io, `${change.file}: ${errorText(error)}`);
    return false;
  }
}

/** Starts an entry as its client does, and prints whether it answers. */
async function check(io: Io, { name, ...file }: ClientPlan): Promise<boolean> {
  if (name === undefined) return true;
  const waiting = announceWaiting(io, new Set([file.label]));
  const result = await checkEntry(io, file, name).finally(waiting);
  if ("tools" in result) print(io, `${file.label}: ${name} answers with ${result.tools} tools`);
  else printError(io, `toolpacks: ${file.label}: ${name} does not answer: ${result.problem}`);
  return "tools" in result;
}
