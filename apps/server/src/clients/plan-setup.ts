import { existsSync } from "node:fs";
import path from "node:path";
import { errorText, isObject } from "@toolpacks/core";
import { isDisabled } from "@toolpacks/upstream/config";
import { ConfigurationError } from "../configuration-error.ts";
import { planChange, type FileChange } from "./change-file.ts";
import type { ClientFolders } from "./client-folders.ts";
import { parseText, valueAt } from "./config-text.ts";
import type { Edit } from "./edit.ts";
import type { Block } from "./entry-formats.ts";
import { findProgram } from "./find-program.ts";
import { userFileOf, type ClientFile, type KnownClient } from "./known-clients.ts";
import { commandLine, freeName, isOurs, isStartable, ourCommand, ownArguments, runsServe } from "./our-entry.ts";
import { chosenArguments, type SetupChoices } from "./setup-choices.ts";
import { readText } from "./user-file.ts";

/** The choices for the entries of a setup. */
export interface SetupRequest {
  /** The choices that the user made. Only these change an entry that is there. */
  readonly chosen: Partial<SetupChoices>;
  /** The choices for a new entry. */
  readonly defaults: SetupChoices;
  /** The names of all bundled packs. */
  readonly packs: readonly string[];
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
export function isInstalled(client: KnownClient, folders: ClientFolders): boolean {
  const file = client.userFile(folders);
  const folder = client.installedFolder?.(folders) ?? path.dirname(file);
  return (
    existsSync(file) ||
    existsSync(folder) ||
    (client.program !== undefined && findProgram(client.program) !== undefined)
  );
}

/** Plans the setup of one client. Nothing is written. */
export function planSetup(client: KnownClient, folders: ClientFolders, request: SetupRequest): ClientPlan {
  const file = userFileOf(client, folders);
  try {
    const { edits, ...decision } = decide(file, request);
    if (edits.length === 0) return { ...file, ...decision };
    return { ...file, ...decision, change: planChange(file.path, client.format, edits) };
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
function decide(file: ClientFile, request: SetupRequest): Decision {
  const servers = serversOf(file);
  const own = servers.filter(({ block }) => isOurs(block) && runsServe(block));
  const found = own.find(({ block }) => !isDisabled(block)) ?? own[0];
  if (found === undefined)
    return addition(
      file,
      servers.map(({ name }) => name),
      request,
    );
  const { name, block } = found;
  if (isDisabled(block)) return { name, isDisabled: true, edits: [], keptBecause: "it is disabled there" };
  const args = ownArguments(block) ?? [];
  const fixed = args.map((word) => /^--(config|facet)(?==|$)/.exec(word)?.[0]).find((flag) => flag !== undefined);
  if (fixed !== undefined) return { name, edits: [], keptBecause: `it is set up with ${fixed}` };
  const edits = update({ file, name, block, entry: found.entry }, chosenArguments(args, request.chosen, request.packs));
  return { name, edits, ...(edits.length === 0 && { keptBecause: "it is set up already" }) };
}

function addition({ client, at, path: file }: ClientFile, taken: readonly string[], request: SetupRequest): Decision {
  const name = freeName(taken);
  const args = chosenArguments([], { ...request.defaults, ...request.chosen }, request.packs);
  const entry = client.entries.create(name, ourCommand(args));
  const root = parseText({ file, format: client.format, text: readText(file) });
  // A key without a value cannot receive an entry.
  const isEmpty = valueAt(root, at) === null;
  return { name, edits: [isEmpty ? { at, value: { [name]: entry } } : { at: [...at, name], value: entry }] };
}

interface OwnServer extends FoundEntry {
  readonly file: ClientFile;
}

/** The edits that give an entry new arguments, and a program that exists. */
function update({ file, name, block, entry }: OwnServer, args: readonly string[]): readonly Edit[] {
  const before = commandLine(block);
  const starter = before.slice(0, before.length - (ownArguments(block)?.length ?? 0));
  const line = isStartable(block) ? { command: starter[0], args: [...starter.slice(1), ...args] } : ourCommand(args);
  const keys = file.client.entries.keys(entry);
  const isSame = (value: unknown, now: unknown) => JSON.stringify(value) === JSON.stringify(now);
  return [
    ...(isSame(line.command, before[0]) ? [] : [{ at: [...file.at, name, ...keys.command], value: line.command }]),
    ...(isSame(line.args, before.slice(1)) ? [] : [{ at: [...file.at, name, ...keys.args], value: line.args }]),
  ];
}

interface FoundEntry {
  readonly name: string;
  readonly entry: Block;
  readonly block: Block;
}

/** The servers in a client's file. @throws ConfigurationError if the file cannot be parsed, or has another form */
function serversOf({ path: file, at, client }: ClientFile): readonly FoundEntry[] {
  const root = parseText({ file, format: client.format, text: readText(file) });
  if (root !== undefined && !isObject(root)) throw new ConfigurationError(`${file}: expected keys with values`);
  const servers = valueAt(root, at) ?? {};
  if (!isObject(servers)) throw new ConfigurationError(`${file}: ${at.join(".")}: expected servers by name`);
  return Object.entries(servers).map(([name, value]) => {
    const entry = isObject(value) ? value : {};
    return { name, entry, block: blockOf(client, entry) };
  });
}

/** The entry as a block of `mcpServers`; empty if only the client can run it. */
function blockOf(client: KnownClient, entry: Block): Block {
  try {
    return client.entries.toBlock(entry);
  } catch {
    return {};
  }
}

/** The arguments of the entry that runs this server for a client; none if there is no such entry. */
export function servedArguments(file: ClientFile): readonly string[] {
  const own = serversOf(file).find(({ block }) => isOurs(block) && runsServe(block) && !isDisabled(block));
  return (own && ownArguments(own.block)) ?? [];
}

/** The block of an entry in a client's file; empty if there is none. */
export function readBlockOf(file: ClientFile, name: string): Block {
  return serversOf(file).find((server) => server.name === name)?.block ?? {};
}
