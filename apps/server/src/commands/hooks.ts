import path from "node:path";
import {
  hookClients,
  knownClients,
  ourCommand,
  servingEntries,
  setHooks,
  takeFlag,
  undoHooks,
  userFileOf,
  type HookClient,
  type Setup,
} from "@toolpacks/client-config";
import { ConfigurationError } from "@toolpacks/core";
import { type Io, print, shellQuote } from "@toolpacks/terminal";
import { changeRecord, thisSetup } from "../clients/this-setup.ts";

export interface HooksFlags {
  readonly tokens?: number;
  readonly print?: boolean;
  readonly undo?: boolean;
}

const by = "toolpacks hooks";

/** `toolpacks hooks <client>`: sets the hooks of a client that show a briefing and save a state, once. */
export function hooks(io: Io, flags: HooksFlags, id: string): number {
  const client = hookClients.find((one) => one.id === id);
  if (client === undefined) throw new ConfigurationError(`unknown client ${id}`);
  if (flags.print === true && flags.undo === true) {
    throw new ConfigurationError("--print and --undo: expected one of them");
  }
  const machine = thisSetup(io);
  const record = changeRecord(io);
  if (flags.undo === true) {
    return Number(!undoHooks(client, by, { record, machine, report: (line) => print(io, line) }));
  }
  const command = hookCommand(client, machine, flags);
  setHooks(io, client, { machine, command, by, record, isShownOnly: flags.print === true });
  return 0;
}

/** The command line of a client's hooks. It uses the config file, store and workspace of the client's own entry. */
function hookCommand({ id }: HookClient, setup: Setup, { tokens }: HooksFlags): string {
  const entry = knownClients.find((one) => one.id === id);
  const [served] = entry === undefined ? [] : servingEntries(userFileOf(entry, setup), setup);
  const named = (["config", "store", "workspace"] as const).flatMap((flag) => {
    const [value = ""] = takeFlag(served?.args ?? [], `--${flag}`).values;
    // A relative path is relative to a folder that only the client knows.
    const isPlain = flag === "workspace" || path.isAbsolute(value) || /^[a-z][a-z0-9+]+:/i.test(value);
    return value !== "" && isPlain ? [`--${flag}`, value] : [];
  });
  const bound = tokens === undefined ? [] : ["--tokens", String(tokens)];
  const { command, args } = ourCommand(["hook", id, ...named, ...bound], setup);
  return [command, ...args].map((word) => shellQuote(word, setup.platform)).join(" ");
}
