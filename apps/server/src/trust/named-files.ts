import { statSync, type Stats } from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { expandVariables, resolvePath } from "@toolpacks/upstream/config";
import { isBundled } from "../mount/bundled-packs.ts";
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
  const files = [...new Set([...program, ...words])].flatMap((word) =>
    bases.flatMap((base) => {
      const file = resolvePath(base, word);
      const isInside = file.startsWith(`${directory}${path.sep}`);
      const isElsewhere = !isInside && (path.isAbsolute(word) || word.startsWith("~"));
      return runnableFiles(file, word).map((one) => ({ path: one, isElsewhere }));
    }),
  );
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

/**
 * Splits an argument into parts that may be paths, and includes the argument: `--import=./a.js`, `sh -c "node ./a.js"`, `-r./a.rb`, `a.jar:b.jar`,
 * `file:///a.js`.
 */
function wordsOf(argument: string): readonly string[] {
  const parts = argument.split(/[\s=;&|<>()'"`:,{}]+/).flatMap((part) => {
    const inFolder = part.replace(/^(?:\/\/)?\$PWD(?=[\\/])/, ".");
    return [part, inFolder, inFolder.replace(/^-+\w+(?=[./~\\])/, "")];
  });
  return [...new Set([argument, ...parts])].filter((word) => word !== "" && !word.includes("\0"));
}

/** Data files, which change with every use. */
const dataFile = /\.(?:db|sqlite3?|log|csv|tsv|jsonl|ndjson)$/i;

/** Extensions that programs add to the name of a module. */
const moduleExtensions = [".js", ".cjs", ".mjs", ".json", ".ts", ".py", ".rb", ".sh", ".lua"];

/** Files that a word names, except data: the file of this name, which may be created later, or modules of this name. */
function runnableFiles(file: string, word: string): readonly string[] {
  if (dataFile.test(file)) return [];
  const stats = statsOf(file);
  if (stats !== undefined) return stats.isFile() ? [file] : [];
  const isPath = /[\\/]/.test(word);
  const inPackage = isPath ? [] : [path.join(path.dirname(file), `${word.replaceAll(".", "/")}.py`)];
  const modules = [...moduleExtensions.map((extension) => `${file}${extension}`), ...inPackage];
  const found = modules.filter((one) => statsOf(one)?.isFile() === true);
  if (path.extname(file) !== "") return [file, ...found];
  return isPath ? modules : found;
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
