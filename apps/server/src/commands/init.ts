import {
  checkNames,
  knownClients,
  planSetup,
  selectClients,
  showNoClient,
  showPlans,
  undoChanges,
  writePlans,
  type KnownClient,
} from "@toolpacks/client-config";
import { ConfigurationError } from "@toolpacks/core";
import { type Io, print, printError } from "@toolpacks/terminal";
import { entryArguments, packNames, readRoot, type SetupChoices } from "../clients/setup-choices.ts";
import { changeRecord, thisSetup } from "../clients/this-setup.ts";
import { modelOffer } from "../embeddings.ts";

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

/** `toolpacks init [client…]`: adds toolpacks to the config files of the clients on this machine, and starts each entry once. */
export async function init(io: Io, flags: InitFlags, ids: readonly string[]): Promise<number> {
  const modes = (["undo", "print", "yes"] as const).filter((flag) => flags[flag] === true);
  if (modes.length > 1) {
    throw new ConfigurationError(`${modes.map((flag) => `--${flag}`).join(" and ")}: expected one of them`);
  }
  const setup = thisSetup(io);
  const record = changeRecord(io);
  if (flags.undo === true) {
    return Number(!undoChanges(by, { record, machine: setup, report: (line) => print(io, line) }));
  }
  const chosen = choicesOf(flags, io.cwd);
  const clients = selectClients(io, ids, setup);
  const planAll = (choices: Partial<SetupChoices>, of: readonly KnownClient[]) =>
    of.map((one) => planSetup(one, setup, entryArguments(choices, io.cwd)));
  if (clients.length === 0) {
    // Most clients read the form of the first one.
    for (const example of planAll(chosen, knownClients.slice(0, 1))) showNoClient(io, example);
    return 1;
  }
  if (flags.print === true) return showPlans(io, planAll(chosen, clients));
  if (flags.yes === true)
    return writePlans(io, planAll(chosen, clients), { setup, by, record, offer: offerFor(chosen) });
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) {
    showPlans(io, planAll(chosen, clients));
    printError(io, "toolpacks: init: needs a terminal to ask; use --yes to write these changes");
    return 1;
  }
  const { askChoices, askClients, askToWrite, Cancelled } = await import("../clients/ask-setup.ts");
  try {
    const asked = ids.length === 0 ? await askClients(io, clients) : clients;
    const choices = await askChoices(io, chosen);
    const options = { setup, by, record, offer: offerFor(choices), isAgreed: () => askToWrite(io) };
    return await writePlans(io, planAll(choices, asked), options);
  } catch (error) {
    if (error instanceof Cancelled) return 1;
    throw error;
  }
}

/** The choices that flags make. @throws ConfigurationError for a root that is not a folder, or an unknown pack */
function choicesOf({ root, packs, write, deny }: InitFlags, current: string): Partial<SetupChoices> {
  if (packs !== undefined) checkNames("pack", packs, packNames);
  return { roots: root?.map((one) => readRoot(one, current)), packs, write, deny };
}

/** Offers the model for memory, if memory is served. */
function offerFor({ packs, deny }: Partial<SetupChoices>): string | undefined {
  return packs?.includes("memory") !== false && deny?.includes("memory") !== true ? modelOffer() : undefined;
}
