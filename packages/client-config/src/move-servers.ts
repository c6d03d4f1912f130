import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isDisabled } from "@toolpacks/upstream/config";
import type { ConfigFormat } from "./config-text.ts";
import type { Edit } from "./edit.ts";
import type { Block } from "./entry-formats.ts";
import { planChange, type FileChange } from "./file-change.ts";
import type { FoundFile, MovedServer } from "./find-servers.ts";
import {
  commandLine,
  freeName,
  isOurs,
  ourCommand,
  ourEntry,
  ownArguments,
  runsServe,
  takeFlag,
  type Setup,
} from "./own-entry.ts";

/** The servers that move to our config file. */
export interface MovePlan {
  /** Path of our config file. */
  readonly to: string;
  /** The blocks to add to our config file, by their new names. */
  readonly added: ReadonlyMap<string, Block>;
  /** The keys of all servers in our config file after the move. */
  readonly keys: readonly string[];
  /** The key of each moved server. */
  readonly keyOf: ReadonlyMap<MovedServer, string>;
  readonly files: readonly FoundFile[];
}

/**
 * Plans the move, and gives each server a name. The same server in two clients is added once. A different server with the same name gets the client's
 * name as a suffix. A server that our config file has already keeps its block there, with its edits.
 *
 * @param to path of our config file
 * @param existing the options of each server in our config file; undefined for one that is not used
 */
export function planMove(
  files: readonly FoundFile[],
  to: string,
  existing: ReadonlyMap<string, object | undefined>,
): MovePlan {
  const servers = new Map(existing);
  const added = new Map<string, Block>();
  const keyOf = new Map<MovedServer, string>();
  for (const { label, name, moved } of files.flatMap(movedOf)) {
    const isSame = (candidate: string) => {
      const ours = servers.get(candidate);
      if (ours === undefined) return false;
      return added.has(candidate) ? isDeepStrictEqual(ours, moved.options) : isSameServer(ours, moved.options);
    };
    const names = [name, `${name}-${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`];
    const same = names.find(isSame);
    const key = same ?? names.find((candidate) => !servers.has(candidate)) ?? `${name}-${servers.size}`;
    keyOf.set(moved, key);
    if (same !== undefined) continue;
    servers.set(key, moved.options);
    added.set(key, moved.block);
  }
  const changed = files.filter((file) => movedOf(file).length > 0);
  return { to, added, keys: [...servers.keys()], keyOf, files: changed };
}

/** The options that decide which server is started or reached, and with which identity. */
const identity = ["command", "args", "env", "cwd", "url", "headers", "transport", "auth"];

/** Whether a block in our config file is the same server as a client's, also if the user has edited its other options there. */
function isSameServer(ours: object, theirs: object): boolean {
  const [own, other] = [ours, theirs] as Record<string, unknown>[];
  // An option that limits tools and that only the client has must not be lost.
  const isSet = (value: unknown) => value !== undefined && !isDeepStrictEqual(value, {});
  return [...identity, ...Object.keys(theirs)].every(
    (name) => isDeepStrictEqual(own?.[name], other?.[name]) || (!identity.includes(name) && isSet(own?.[name])),
  );
}

function movedOf({ label, servers }: FoundFile) {
  return servers.flatMap(({ name, decision }) => ("moved" in decision ? [{ label, name, moved: decision.moved }] : []));
}

/**
 * Plans the changes of all files, our config file first, so that a server is always in one of the files.
 *
 * @param hasConfig whether our server finds a config file from a folder by itself
 * @throws ConfigurationError if a file cannot be edited
 */
export function planChanges(
  { to: config, added, files }: MovePlan,
  setup: Setup,
  hasConfig: (folder: string) => boolean,
): readonly FileChange[] {
  const ours = { file: config, edits: [...added].map(([name, value]) => ({ at: ["mcpServers", name], value })) };
  // A client may list servers of the user and of a project in one file, which is changed once.
  const ofClients = [...Map.groupBy(files, ({ path }) => path)].map(([file, found]) => ({
    file,
    format: found[0]?.client.format,
    edits: found.flatMap((one) => [...ourEdit(one, { config, setup, hasConfig }), ...removals(one)]),
  }));
  return [ours, ...ofClients]
    .filter(({ edits }) => edits.length > 0)
    .map(({ format = "json", ...edits }: { file: string; format?: ConfigFormat | undefined; edits: readonly Edit[] }) =>
      planChange({ ...edits, format, config }),
    );
}

function removals(file: FoundFile): readonly Edit[] {
  return movedOf(file).map(({ name }) => ({ at: [...file.at, name], value: undefined }));
}

/** The edit that makes a client start our server with a config file; none when the client does so already. */
function ourEdit(
  { at, client, servers, project }: FoundFile,
  { config, setup, hasConfig }: { config: string; setup: Setup; hasConfig: (folder: string) => boolean },
): readonly Edit[] {
  const used = servers.filter(({ block }) => isOurs(block, setup.own) && !isDisabled(block));
  const configOf = (block: Block) => takeFlag(ownArguments(block, setup.own) ?? [], "--config").values[0];
  if (used.some(({ block }) => path.resolve(configOf(block) ?? "") === config)) return [];
  const open = used.find(({ block }) => {
    const { cwd = project, env } = block;
    const fixed = (ownArguments(block, setup.own) ?? []).some((word) => /^--(config|facet)(=|$)/.test(word));
    const hasVariable = ((env ?? {}) as Block)["TOOLPACKS_CONFIG"] !== undefined;
    return runsServe(block, setup.own) && !fixed && !hasVariable && (typeof cwd !== "string" || !hasConfig(cwd));
  });
  if (open !== undefined) {
    const { args } = client.entries.keys(open.entry);
    return [{ at: [...at, open.name, ...args], value: [...commandLine(open.block).slice(1), "--config", config] }];
  }
  const taken = servers.map(({ name }) => name);
  const name = freeName(taken, setup.own);
  return [{ at: [...at, name], value: ourEntry(client, name, ourCommand(["--config", config], setup)) }];
}
