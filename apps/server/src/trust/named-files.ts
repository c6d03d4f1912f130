import { statSync, type Stats } from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { expandVariables, resolvePath } from "@toolpacks/upstream/config-text";
import { isBundled } from "../bundled-packs.ts";
import type { Config } from "../config/config-schema.ts";
import { packModule } from "../pack-module.ts";

/** A local file in a config file that is run, or read by a program that is run. */
export interface NamedFile {
  /** Place in the config file: `pack ./notes.js`. */
  readonly label: string;
  /** Undefined when the name cannot be resolved to a path. */
  readonly path: string | undefined;
  /** Whether an absolute path is outside of the config file's folder, such as a program of the system. */
  readonly isElsewhere: boolean;
}

/**
 * Finds the modules of packs, the `envFile`s, and the files in commands of `mcpServers`. They need not exist.
 *
 * @param folders base folders of relative paths in commands without `cwd`; the first is the config file's folder
 */
export function namedFiles(config: Config, folders: readonly [string, ...string[]]): readonly NamedFile[] {
  const [directory] = folders;
  const modules = Object.entries(config.packs ?? {})
    .filter(([name, options]) => !isBundled(name) && options !== false)
    .map(([name]) => named(`pack ${name}`, () => packModule(name, directory)));
  const blocks = Object.entries(config.mcpServers ?? {}).flatMap(([name, block]) =>
    isObject(block) ? [{ name, block }] : [],
  );
  const envFiles = blocks.flatMap(({ name, block: { envFile } }) =>
    typeof envFile === "string" ? [named(`envFile ${name}`, () => resolvePath(directory, expand(envFile)))] : [],
  );
  const ofCommands = blocks.flatMap(({ name, block }) =>
    commandFiles(block, folders).map((file) => ({ ...file, label: `command ${name}` })),
  );
  return [...modules, ...envFiles, ...ofCommands];
}

function named(label: string, locate: () => string): NamedFile {
  try {
    return { label, path: locate(), isElsewhere: false };
  } catch {
    return { label, path: undefined, isElsewhere: false };
  }
}

function commandFiles(
  { command, args, cwd }: Readonly<Record<string, unknown>>,
  folders: readonly [string, ...string[]],
): readonly Omit<NamedFile, "label">[] {
  const [directory] = folders;
  const bases = typeof cwd === "string" && cwd !== "" ? [resolvePath(directory, expand(cwd))] : folders;
  // A program name without a folder is found in $PATH.
  const program = typeof command === "string" && /[\\/]/.test(command) ? [expand(command)] : [];
  const words = (Array.isArray(args) ? args : []).flatMap((word) =>
    typeof word === "string" ? wordsOf(expand(word)) : [],
  );
  return [...new Set([...program, ...words])].flatMap((word) =>
    bases.flatMap((base) => {
      const file = resolvePath(base, word);
      const isInside = file.startsWith(`${directory}${path.sep}`);
      const isElsewhere = !isInside && (path.isAbsolute(word) || word.startsWith("~"));
      return canRun(file) ? [{ path: file, isElsewhere }] : [];
    }),
  );
}

/** Splits an argument into parts that may be paths, and includes the argument: `--import=./a.js`, `sh -c "node ./a.js"`. */
function wordsOf(argument: string): readonly string[] {
  return [argument, ...argument.split(/[\s=;&|<>()'"`]+/)].filter((word) => word !== "" && !word.includes("\0"));
}

/** Data files, which change with every use. */
const dataFile = /\.(?:db|sqlite3?|log|csv|tsv|jsonl|ndjson)$/i;

/** Whether a path is a file that is not data, or the name of a file that may be created later. */
function canRun(file: string): boolean {
  if (dataFile.test(file)) return false;
  const stats = statsOf(file);
  return stats === undefined ? path.extname(file) !== "" : stats.isFile();
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Expands variables in a text. A text with an unset variable is returned unchanged: its block is invalid. */
function expand(text: string): string {
  try {
    return expandVariables(text, process.env);
  } catch {
    return text;
  }
}
