import path from "node:path";
import {
  applyChange,
  hookClients,
  knownClients,
  ourCommand,
  planHooks,
  readRecord,
  renderDiff,
  servedArguments,
  undoHooks,
  userFileOf,
  type HookClient,
  type Setup,
} from "@toolpacks/client-config";
import { ConfigurationError, errorText } from "@toolpacks/core";
import { changeRecord, thisSetup } from "../clients/this-setup.ts";
import { type Io, print, shellQuote } from "@toolpacks/terminal";

export interface HooksFlags {
  readonly config?: string;
  readonly store?: string;
  readonly workspace?: string;
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
  const setup = thisSetup(io);
  const record = changeRecord(io);
  if (flags.undo === true) {
    return Number(!undoHooks(client, by, { record, machine: setup, report: (line) => print(io, line) }));
  }
  const file = client.file(setup);
  const change = planHooks(client, file, hookCommand(client, setup, flags));
  print(io, `${client.name}: ${file}${change !== undefined && change.content === undefined ? " (new file)" : ""}`);
  if (change === undefined) print(io, "  not changed: the hooks are set up already");
  else print(io, ...renderDiff(change).map((line) => `  ${line}`));
  if (flags.print === true || change === undefined) return 0;
  // An unreadable record stops the command here: its change could not be undone.
  readRecord(record);
  try {
    applyChange(change, { by, record });
  } catch (error) {
    throw new ConfigurationError(`${file}: ${errorText(error)}; the file is not changed`);
  }
  print(io, `written; ${by} ${client.id} --undo takes it back`, ...client.notes);
  return 0;
}

/** The command line of a client's hooks. It uses the config file, store and workspace of the client's own entry, unless flags name others. */
function hookCommand({ id }: HookClient, setup: Setup, flags: HooksFlags): string {
  const entry = knownClients.find((one) => one.id === id);
  const served = entry === undefined ? [] : servedArguments(userFileOf(entry, setup), setup);
  const named = (["config", "store", "workspace"] as const).flatMap((flag) => {
    const isPlain = (value: string) => flag === "workspace" || path.isAbsolute(value) || isAddress(value);
    // A relative path of the entry is relative to a folder that only the client knows, and a hook starts in another one than this command.
    const found = valueOf(served, `--${flag}`);
    const own = flags[flag];
    const value =
      own === undefined ? found && isPlain(found) && found : isPlain(own) ? own : path.resolve(setup.project, own);
    return value ? [`--${flag}`, value] : [];
  });
  const tokens = flags.tokens === undefined ? [] : ["--tokens", String(flags.tokens)];
  const { command, args } = ourCommand(["hook", id, ...named, ...tokens], setup);
  return [command, ...args].map((word) => shellQuote(word, setup.platform)).join(" ");
}

/** The value of a flag among the words of a command; undefined if it is not there. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return words[at]?.startsWith(`${flag}=`) ? words[at].slice(flag.length + 1) : at < 0 ? undefined : words[at + 1];
}

function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+]+:/i.test(value);
}
