import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { ConfigurationError, errorText } from "@toolpacks/core";
import { checkPlainValue } from "@toolpacks/bounded-io";
import { isDisabled } from "@toolpacks/upstream/config";
import { readEntries, type ClientEntry } from "./client-entries.ts";
import type { Block } from "./entry-formats.ts";
import { clientFiles, type ClientFile } from "./known-clients.ts";
import { isOurs, type Setup } from "./own-entry.ts";

/** A block as our server reads it. */
export interface ReadBlock {
  readonly options: object;
  readonly warnings: readonly string[];
}

/** A server in the form that is written to our config file. */
export interface MovedServer extends ReadBlock {
  /** The client's block, with absolute paths in place of relative ones. */
  readonly block: Block;
}

/** A server in a client's file. */
export interface FoundServer extends ClientEntry {
  /** The block to move, or the reason why the server is not moved. */
  readonly decision: { readonly moved: MovedServer } | { readonly keptBecause: string };
}

/** A client's file that lists servers. */
export interface FoundFile extends ClientFile {
  readonly servers: readonly FoundServer[];
}

export interface FindOptions {
  /** Names of servers. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** Whether servers in files that a project shares are included. */
  readonly shared: boolean;
  /** Parses a block as our server will. @throws Error that says why it cannot be used */
  readonly readBlock: (block: Block, folder: string) => ReadBlock;
  /** Receives the problem of a file that cannot be read, which is skipped. */
  readonly reportProblem: (problem: string) => void;
}

/** Finds the servers of all known clients. @throws ConfigurationError if `only` names a server that none has */
export function findServers(setup: Setup, options: FindOptions): readonly FoundFile[] {
  const found = clientFiles(setup).flatMap((file): readonly FoundFile[] => {
    if (!existsSync(file.path)) return [];
    try {
      requireInside(file);
      const entries = readEntries(file, file.isShared === true ? maxSharedBytes : undefined);
      const servers = entries.map((one) => ({ ...one, decision: decide({ ...one, file }, setup, options) }));
      return servers.length === 0 ? [] : [{ ...file, servers }];
    } catch (error) {
      // Invalid JSON, not a regular file, or nested too deeply for the parser.
      const message = errorText(error);
      options.reportProblem(
        error instanceof ConfigurationError ? message : `${file.path}: cannot be read (${message})`,
      );
      return [];
    }
  });
  const names = new Set(found.flatMap(({ servers }) => servers.map(({ name }) => name)));
  const missing = options.only?.find((name) => !names.has(name));
  if (missing === undefined) return found;
  throw new ConfigurationError(`--only: no server is named ${missing}; there are ${[...names].join(", ") || "none"}`);
}

/** A project's file may be a link of others. A change of it must change no file elsewhere. */
function requireInside({ path: file, project, isShared }: ClientFile): void {
  if (isShared !== true || project === undefined) return;
  const real = realpathSync(file);
  if (!real.startsWith(realpathSync(project) + path.sep)) throw new Error(`it is a link to ${real}`);
}

/** Others may have written a project's files. */
const maxSharedBytes = 262_144;

function decide(
  { name, block, problem, file }: ClientEntry & { readonly file: ClientFile },
  { own }: Setup,
  options: FindOptions,
): FoundServer["decision"] {
  if (problem !== undefined) return { keptBecause: problem };
  if (isOurs(block, own)) return { keptBecause: `it is ${own.name} already` };
  if (isDisabled(block)) return { keptBecause: "it is disabled" };
  if (options.only?.includes(name) === false) return { keptBecause: "--only does not name it" };
  try {
    // Our config file would be refused with a key such as `__proto__`.
    checkPlainValue(Object.fromEntries([[name, block]]));
    const moved = withAbsolutePaths(block, file);
    const read = options.readBlock(moved, path.dirname(file.path));
    if (file.isShared === true && !options.shared) {
      return { keptBecause: "others share this file, and would get paths of this machine; --shared moves it too" };
    }
    return { moved: { block: moved, ...read } };
  } catch (error) {
    return { keptBecause: errorText(error) };
  }
}

/** Makes the paths absolute that the client resolves from its project's folder. */
function withAbsolutePaths(block: Block, { project }: ClientFile): Block {
  const own = Object.fromEntries(
    ["cwd", "envFile"].flatMap((field) => {
      const value = block[field];
      if (typeof value !== "string" || isNotRelative(value)) return [];
      if (project === undefined) throw new Error(`its ${field} (${value}) depends on where its client is started`);
      return [[field, path.resolve(project, value)]];
    }),
  );
  const needsCwd = project !== undefined && block["cwd"] === undefined && usesProjectFiles(project, block);
  return { ...block, ...own, ...(needsCwd && { cwd: project }) };
}

/** Whether a path is absolute, or begins with `~` or a variable, which is expanded later. */
function isNotRelative(value: string): boolean {
  return path.isAbsolute(value) || /^(~|\$\{)/.test(value);
}

/** Whether a command uses files of the project: `./server`, or `src/server.js` if it exists. A package name may have a slash too. */
function usesProjectFiles(project: string, { command, args }: Block): boolean {
  const isRelative = (word: unknown) =>
    typeof word === "string" &&
    !isNotRelative(word) &&
    (/^\.{1,2}($|[\\/])/.test(word) || (/^[^-]/.test(word) && existsSync(path.join(project, word))));
  const isProgram = typeof command === "string" && /[\\/]/.test(command) && isRelative(command);
  return isProgram || (Array.isArray(args) && args.some(isRelative));
}
