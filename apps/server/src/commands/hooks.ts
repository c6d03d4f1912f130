import path from "node:path";
import { errorText } from "@toolpacks/core";
import { applyChange } from "../clients/change-file.ts";
import { readRecord } from "../clients/change-record.ts";
import { foldersOf, type ClientFolders } from "../clients/client-folders.ts";
import { knownClients, userFileOf } from "../clients/known-clients.ts";
import { ourCommand } from "../clients/our-entry.ts";
import { servedArguments } from "../clients/plan-setup.ts";
import { renderDiff } from "../clients/render-setup.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { hookClients, type HookClient } from "../hooks/hook-clients.ts";
import { planHooks } from "../hooks/plan-hooks.ts";
import { undoHooks } from "../hooks/undo-hooks.ts";
import { print } from "../print.ts";
import { shellQuote } from "../shell-quote.ts";

export interface HooksFlags {
  readonly config?: string;
  readonly store?: string;
  readonly workspace?: string;
  readonly tokens?: number;
  readonly print?: boolean;
  readonly undo?: boolean;
}

/** `toolpacks hooks <client>`: sets the hooks of a client that show a briefing and save a state, once. */
export async function hooks(id: string, flags: HooksFlags): Promise<void> {
  const client = hookClients.find((one) => one.id === id);
  if (client === undefined) throw new ConfigurationError(`unknown client ${id}`);
  if (flags.print === true && flags.undo === true) {
    throw new ConfigurationError("--print and --undo: expected one of them");
  }
  const folders = foldersOf(process.cwd());
  const file = client.file(folders);
  if (flags.undo === true) {
    if (!undoHooks(client, file, print)) process.exitCode = 1;
    return;
  }
  const change = planHooks(client, file, hookCommand(client, folders, flags));
  print(`${client.name}: ${file}${change !== undefined && change.content === undefined ? " (new file)" : ""}`);
  if (change === undefined) return print("  not changed: the hooks are set up already");
  print(...renderDiff(change).map((line) => `  ${line}`));
  if (flags.print === true) return;
  // An unreadable record stops the command here: its change could not be undone.
  readRecord();
  try {
    applyChange(change, { by: "hooks", config: undefined });
  } catch (error) {
    throw new ConfigurationError(`${file}: ${errorText(error)}; the file is not changed`);
  }
  print(`written; toolpacks hooks ${client.id} --undo takes it back`, ...client.notes);
}

/** The command line of a client's hooks. It uses the config file, store and workspace of the client's own entry, unless flags name others. */
function hookCommand({ id }: HookClient, folders: ClientFolders, flags: HooksFlags): string {
  const served = servedFlags(id, folders);
  const named = (["config", "store", "workspace"] as const).flatMap((flag) => {
    const value = flags[flag] === undefined ? served[flag] : absolute(flag, flags[flag]);
    return value === undefined ? [] : [`--${flag}`, value];
  });
  const tokens = flags.tokens === undefined ? [] : ["--tokens", String(flags.tokens)];
  const { command, args } = ourCommand(["hook", id, ...named, ...tokens]);
  return [command, ...args].map((word) => shellQuote(word, folders.platform)).join(" ");
}

type ServedFlags = Partial<Record<"config" | "store" | "workspace", string>>;

/** The flags of the entry that starts this server for the client. Relative paths are left out: they are relative to a folder that only the client knows. */
function servedFlags(id: string, folders: ClientFolders): ServedFlags {
  const client = knownClients.find((one) => one.id === id);
  if (client === undefined) return {};
  const words = servedArguments(userFileOf(client, folders));
  const found: ServedFlags = {};
  for (const flag of ["config", "store", "workspace"] as const) {
    const at = words.findIndex((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
    const value = words[at]?.includes("=") ? words[at].slice(flag.length + 3) : words[at + 1];
    if (at < 0 || value === undefined) continue;
    if (flag === "workspace" || path.isAbsolute(value) || isAddress(value)) found[flag] = value;
  }
  return found;
}

/** A path from the current folder, since a hook starts in another one. */
function absolute(flag: keyof ServedFlags, value: string): string {
  return flag === "workspace" || isAddress(value) ? value : path.resolve(value);
}

function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+]+:/i.test(value);
}
