import { statSync, type Stats } from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { expandVariables, resolvePath } from "@toolpacks/upstream/config-text";
import { isBundled } from "../bundled-packs.ts";
import type { Config } from "../config/config-schema.ts";
import { packModule } from "../pack-module.ts";

/** A local file that a config file names, and that runs or feeds what runs. */
export interface NamedFile {
  /** Where the config file names it: `pack ./notes.js`. */
  readonly label: string;
  /** Undefined where the name leads to no path. */
  readonly path: string | undefined;
  /** Whether an absolute path leads out of the config file's folder, as to a program of the system. */
  readonly isElsewhere: boolean;
}

/**
 * The modules of packs, the `envFile`s, and the files that stand in the command of a block of `mcpServers`, each of which need not exist.
 *
 * @param folders where relative paths of commands may begin where a block has no `cwd`; the first is the config file's
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
    typeof envFile === "string" ? [named(`envFile ${name}`, () => resolvePath(directory, expanded(envFile)))] : [],
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
  const bases = typeof cwd === "string" && cwd !== "" ? [resolvePath(directory, expanded(cwd))] : folders;
  // The name of a program alone is searched for in $PATH.
  const program = typeof command === "string" && /[\\/]/.test(command) ? [expanded(command)] : [];
  const words = (Array.isArray(args) ? args : []).flatMap((word) =>
    typeof word === "string" ? wordsOf(expanded(word)) : [],
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

/** An argument, and the parts of it that may be paths: `--import=./a.js`, `sh -c "node ./a.js"`, `-r./a.rb`, `a.jar:b.jar`, `file:///a.js`. */
function wordsOf(argument: string): readonly string[] {
  const parts = argument.split(/[\s=;&|<>()'"`:,{}]+/).flatMap((part) => {
    const inFolder = part.replace(/^(?:\/\/)?\$PWD(?=[\\/])/, ".");
    return [part, inFolder, inFolder.replace(/^-+\w+(?=[./~\\])/, "")];
  });
  return [...new Set([argument, ...parts])].filter((word) => word !== "" && !word.includes("\0"));
}

/** Files that change with every use. */
const data = /\.(?:db|sqlite3?|log|csv|tsv|jsonl|ndjson)$/i;

/** What programs add to the name of a module. */
const moduleExtensions = [".js", ".cjs", ".mjs", ".json", ".ts", ".py", ".rb", ".sh", ".lua"];

/** The file that a word means, unless it is plainly data: the one of this name, which may appear later, or modules of this name. */
function runnableFiles(file: string, word: string): readonly string[] {
  if (data.test(file)) return [];
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

/** A text as it is written where a variable of it is not set: the block cannot be used then. */
function expanded(text: string): string {
  try {
    return expandVariables(text, process.env);
  } catch {
    return text;
  }
}
