import { existsSync } from "node:fs";
import path from "node:path";
import { checkBlock, isDisabled, refusalText } from "@toolpacks/upstream/server-block";
import { parseJsonc } from "../config/parse-jsonc.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { clientFiles, type ClientFile } from "./client-files.ts";
import { readText } from "./edited-file.ts";
import type { Block, FoundFile, FoundServer } from "./found-file.ts";
import { isOurs } from "./our-entry.ts";

/** Which servers are wanted. */
export interface Choice {
  /** By their names; all of them when undefined. */
  readonly only?: readonly string[];
  /** Those of files that a project shares, too. */
  readonly shared: boolean;
}

/** Reads the servers of every known client. A file that cannot be read is named and passed over. */
export function findServers(
  project: string,
  choice: Choice,
  tellProblem: (problem: string) => void,
): readonly FoundFile[] {
  return clientFiles(project).flatMap((file) => {
    if (!existsSync(file.path)) return [];
    try {
      const servers = readServers(file, choice);
      return servers.length === 0 ? [] : [{ ...file, servers }];
    } catch (error) {
      // Not JSON, not a regular file, or nested deeper than the parser goes.
      const message = error instanceof Error ? error.message : String(error);
      tellProblem(error instanceof ConfigurationError ? message : `${file.path}: cannot be read (${message})`);
      return [];
    }
  });
}

function readServers(file: ClientFile, choice: Choice): readonly FoundServer[] {
  const whole = parseJsonc(file.path, readText(file.path));
  const blocks = file.at.reduce((value: unknown, key) => asBlock(value)?.[key], whole);
  return Object.entries(asBlock(blocks) ?? {}).map(([name, value]) => {
    const block = asBlock(value) ?? {};
    return { name, block, fate: fateOf({ name, block, file, choice }) };
  });
}

interface Found {
  readonly name: string;
  readonly block: Block;
  readonly file: ClientFile;
  readonly choice: Choice;
}

function fateOf({ name, block, file, choice }: Found): FoundServer["fate"] {
  if (isOurs(block)) return { stays: "it is toolpacks already" };
  if (isDisabled(block)) return { stays: "it is disabled" };
  if (choice.only !== undefined && !choice.only.includes(name)) return { stays: "--only does not name it" };
  try {
    const moved = withOwnPaths(block, file);
    // As our server will read it, and in an environment like the one that it will have.
    const read = checkBlock(moved, { here: path.dirname(file.path), environment: process.env });
    if (file.isShared === true && !choice.shared) {
      return { stays: "others share this file, and would get paths of this machine; --shared moves it too" };
    }
    return { moved: { block: moved, ...read } };
  } catch (error) {
    return { stays: refusalText(error) };
  }
}

/** What a client resolves from a project's folder is resolved from there. */
function withOwnPaths(block: Block, { project }: ClientFile): Block {
  const own = Object.fromEntries(
    ["cwd", "envFile"].flatMap((field) => {
      const given = block[field];
      if (typeof given !== "string" || isWhole(given)) return [];
      if (project === undefined) throw new Error(`its ${field} (${given}) depends on where its client is started`);
      return [[field, path.resolve(project, given)]];
    }),
  );
  const place = project !== undefined && block["cwd"] === undefined && namesFilesOf(project, block);
  return { ...block, ...own, ...(place && { cwd: project }) };
}

/** Not relative, as far as can be told before variables are in place. */
function isWhole(given: string): boolean {
  return path.isAbsolute(given) || /^(~|\$\{)/.test(given);
}

/** `./server`, `src/server.js` that is there: a package's name may have a slash too. */
function namesFilesOf(project: string, { command, args }: Block): boolean {
  const isRelative = (word: unknown) =>
    typeof word === "string" &&
    !isWhole(word) &&
    (/^\.{1,2}($|[\\/])/.test(word) || (/^[^-]/.test(word) && existsSync(path.join(project, word))));
  const isProgram = typeof command === "string" && /[\\/]/.test(command) && isRelative(command);
  return isProgram || (Array.isArray(args) && args.some(isRelative));
}

function asBlock(value: unknown): Block | undefined {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject ? (value as Block) : undefined;
}
