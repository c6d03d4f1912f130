import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { errorText, isObject } from "@toolpacks/core";
import { checkPlainValue } from "@toolpacks/bounded-io";
import { isDisabled } from "@toolpacks/upstream/config";
import { checkBlock, refusalText } from "@toolpacks/upstream/server-block";
import { ConfigurationError } from "../configuration-error.ts";
import { foldersOf } from "./client-folders.ts";
import { parseText, valueAt } from "./config-text.ts";
import type { Block } from "./entry-formats.ts";
import type { FoundFile, FoundServer } from "./found-file.ts";
import { clientFiles, type ClientFile } from "./known-clients.ts";
import { isOurs } from "./our-entry.ts";
import { readText } from "./user-file.ts";

/** The servers that the user selects. */
export interface Choice {
  /** Names of servers. Undefined: all. */
  readonly only?: readonly string[];
  /** Whether servers in files that a project shares are included. */
  readonly shared: boolean;
}

/** Reads the servers of all known clients. A file that cannot be read is reported and skipped. */
export function findServers(
  project: string,
  choice: Choice,
  reportProblem: (problem: string) => void,
): readonly FoundFile[] {
  return clientFiles(foldersOf(project)).flatMap((file) => {
    if (!existsSync(file.path)) return [];
    try {
      requireInside(file);
      const servers = readServers(file, choice);
      return servers.length === 0 ? [] : [{ ...file, servers }];
    } catch (error) {
      // Invalid JSON, not a regular file, or nested too deeply for the parser.
      const message = errorText(error);
      reportProblem(error instanceof ConfigurationError ? message : `${file.path}: cannot be read (${message})`);
      return [];
    }
  });
}

/** A project's file may be a link of others. A change of it must change no file elsewhere. */
function requireInside({ path: file, project, isShared }: ClientFile): void {
  if (isShared !== true || project === undefined) return;
  const real = realpathSync(file);
  if (!real.startsWith(realpathSync(project) + path.sep)) throw new Error(`it is a link to ${real}`);
}

/** Others may have written a project's files. */
const maxSharedBytes = 262_144;

function readServers(file: ClientFile, choice: Choice): readonly FoundServer[] {
  const text = readText(file.path, file.isShared === true ? maxSharedBytes : undefined);
  const servers = valueAt(parseText({ file: file.path, format: file.client.format, text }), file.at);
  return Object.entries(asBlock(servers) ?? {}).map(([name, value]) => {
    const entry = asBlock(value) ?? {};
    try {
      const block = file.client.entries.toBlock(entry);
      return { name, entry, block, decision: decideServer({ name, block, file, choice }) };
    } catch (error) {
      return { name, entry, block: {}, decision: { keptBecause: errorText(error) } };
    }
  });
}

interface Candidate {
  readonly name: string;
  readonly block: Block;
  readonly file: ClientFile;
  readonly choice: Choice;
}

function decideServer({ name, block, file, choice }: Candidate): FoundServer["decision"] {
  if (isOurs(block)) return { keptBecause: "it is toolpacks already" };
  if (isDisabled(block)) return { keptBecause: "it is disabled" };
  if (choice.only !== undefined && !choice.only.includes(name)) return { keptBecause: "--only does not name it" };
  try {
    // Our config file would be refused with a key such as `__proto__`.
    checkPlainValue(Object.fromEntries([[name, block]]));
    const moved = withAbsolutePaths(block, file);
    // Checked as our server will read it, with this process's environment.
    const read = checkBlock(moved, { here: path.dirname(file.path), environment: process.env });
    if (file.isShared === true && !choice.shared) {
      return { keptBecause: "others share this file, and would get paths of this machine; --shared moves it too" };
    }
    return { moved: { block: moved, ...read } };
  } catch (error) {
    return { keptBecause: refusalText(error) };
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

function asBlock(value: unknown): Block | undefined {
  return isObject(value) ? value : undefined;
}
