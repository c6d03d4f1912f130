import { existsSync } from "node:fs";
import path from "node:path";
import { ConfigurationError, errorText } from "@toolpacks/core";
import { isDisabled } from "@toolpacks/upstream/config";
import { readEntries, type ClientEntry } from "./client-entries.ts";
import { parseText, valueAt } from "./config-text.ts";
import type { Edit } from "./edit.ts";
import type { Block } from "./entry-formats.ts";
import { planChange, type FileChange } from "./file-change.ts";
import { userFileOf, type ClientFile, type KnownClient } from "./known-clients.ts";
import { findProgram, type Machine } from "./machine.ts";
import {
  commandLine,
  freeName,
  isOurs,
  isStartable,
  ourCommand,
  ourEntry,
  ownArguments,
  runsServe,
  takeFlag,
  type Setup,
} from "./own-entry.ts";
import { readText } from "./user-file.ts";

/** The arguments of our server in the entries of a setup. */
export interface EntryArguments {
  /** The arguments of a new entry. */
  readonly added: readonly string[];
  /** The arguments of an entry that is there, after the user's choices. */
  readonly update: (args: readonly string[]) => readonly string[];
}

/** What a setup does with the file of one client. */
export interface ClientPlan extends ClientFile {
  /** The name of the entry; undefined if the file has a problem. */
  readonly name?: string;
  /** The change of the file; undefined if nothing changes. */
  readonly change?: FileChange;
  /** Why an entry that is there is not changed. */
  readonly keptBecause?: string;
  /** Whether the client does not start the entry. */
  readonly isDisabled?: boolean;
  /** Why the client cannot be set up. */
  readonly problem?: string;
}

/** Whether a client seems to be installed: its settings folder, its file or its program exists. */
export function isInstalled(client: KnownClient, machine: Machine): boolean {
  const file = client.userFile(machine);
  const folder = client.installedFolder?.(machine) ?? path.dirname(file);
  return (
    existsSync(file) ||
    existsSync(folder) ||
    (client.program !== undefined && findProgram(machine, client.program) !== undefined)
  );
}

/** Plans the setup of one client. Nothing is written. */
export function planSetup(client: KnownClient, setup: Setup, args: EntryArguments): ClientPlan {
  const file = userFileOf(client, setup);
  try {
    const { edits, ...decision } = decide(file, setup, args);
    if (edits.length === 0) return { ...file, ...decision };
    return { ...file, ...decision, change: planChange({ file: file.path, format: client.format, edits }) };
  } catch (error) {
    const message = errorText(error);
    return { ...file, problem: error instanceof ConfigurationError ? message : `${file.path}: ${message}` };
  }
}

interface Decision {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly isDisabled?: boolean;
  readonly keptBecause?: string;
}

/** Decides whether an entry is added, updated or left as it is. */
function decide(file: ClientFile, setup: Setup, { added, update }: EntryArguments): Decision {
  const entries = readEntries(file);
  const ours = entries.filter(({ block }) => isOurs(block, setup.own) && runsServe(block, setup.own));
  const found = ours.find(({ block }) => !isDisabled(block)) ?? ours[0];
  if (found === undefined) {
    const taken = entries.map(({ name }) => name);
    const name = freeName(taken, setup.own);
    return { name, edits: [addition(file, name, ourEntry(file.client, name, ourCommand(added, setup)))] };
  }
  const { name, block } = found;
  if (isDisabled(block)) return { name, isDisabled: true, edits: [], keptBecause: "it is disabled there" };
  const args = ownArguments(block, setup.own) ?? [];
  const fixed = args.map((word) => /^--(config|facet)(?==|$)/.exec(word)?.[0]).find((flag) => flag !== undefined);
  if (fixed !== undefined) return { name, edits: [], keptBecause: `it is set up with ${fixed}` };
  const edits = updates(found, update(args), { file, setup });
  return { name, edits, ...(edits.length === 0 && { keptBecause: "it is set up already" }) };
}

function addition({ client, at, path: file }: ClientFile, name: string, entry: Block): Edit {
  const root = parseText({ file, format: client.format, text: readText(file) });
  // A key without a value cannot receive an entry.
  const isEmpty = valueAt(root, at) === null;
  return isEmpty ? { at, value: { [name]: entry } } : { at: [...at, name], value: entry };
}

/** The edits that give an entry new arguments, a program that exists, and the fields that list its tools if the list is a short one. */
function updates(
  { name, block, entry }: ClientEntry,
  args: readonly string[],
  { file, setup }: { file: ClientFile; setup: Setup },
): readonly Edit[] {
  const before = commandLine(block);
  const starter = before.slice(0, before.length - (ownArguments(block, setup.own)?.length ?? 0));
  const line = isStartable(block, setup.own)
    ? { command: starter[0], args: [...starter.slice(1), ...args] }
    : ourCommand(args, setup);
  const { entries, listsTools = {} } = file.client;
  const keys = entries.keys(entry);
  const [surface = "discovery"] = takeFlag(args, "--surface").values;
  const isLong = surface === "direct" || surface === "auto";
  const missing = Object.entries(isLong ? {} : listsTools).filter(([key]) => entry[key] === undefined);
  const isSame = (value: unknown, now: unknown) => JSON.stringify(value) === JSON.stringify(now);
  return [
    ...(isSame(line.command, before[0]) ? [] : [{ at: [...file.at, name, ...keys.command], value: line.command }]),
    ...(isSame(line.args, before.slice(1)) ? [] : [{ at: [...file.at, name, ...keys.args], value: line.args }]),
    ...missing.map(([key, value]) => ({ at: [...file.at, name, key], value })),
  ];
}

/** The entries of a file that run our server, without those that are disabled, and the arguments of each. */
export function servingEntries(file: ClientFile, { own }: Setup) {
  const isServing = ({ block }: ClientEntry) => isOurs(block, own) && runsServe(block, own) && !isDisabled(block);
  const ours = readEntries(file).filter(isServing);
  return ours.map(({ name, block }) => ({ name, args: ownArguments(block, own) ?? [] }));
}
