import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { isDisabled } from "@toolpacks/upstream/config";
import { findConfig } from "@toolpacks/settings";
import { ConfigurationError } from "../configuration-error.ts";
import type { Edit } from "./edit.ts";
import type { Block, CommandLine } from "./entry-formats.ts";
import { findProgram } from "./find-program.ts";
import type { FoundFile } from "./found-file.ts";

/** Programs and subcommands that precede the name of the started package. */
const starters = new Set(["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "node", "dlx", "exec", "x", "cmd", "c"]);

/** Whether a block starts toolpacks, by its name or by the path of its program. Such a block is never moved. */
export function isOurs(block: Block): boolean {
  return commandLine(block).some(
    (word) => word === ownProgram() || /(^|[\\/])toolpacks(@[^\\/]*)?($|[\\/])/.test(word),
  );
}

/** Whether a block runs the server itself, and no other command such as `relay`. */
export function runsServe(block: Block): boolean {
  const [first = "serve"] = ownArguments(block) ?? ["another program"];
  return first === "serve" || first.startsWith("-");
}

/** The edit that makes a client start toolpacks with a config file; none when the client does so already. */
export function ourEdit({ at, client, servers, project }: FoundFile, config: string): readonly Edit[] {
  const own = servers.filter(({ block }) => isOurs(block) && !isDisabled(block));
  if (own.some(({ block }) => configOf(block) === config)) return [];
  const open = own.find(({ block }) => acceptsConfig(block, project));
  if (open !== undefined) {
    const { args } = client.entries.keys(open.entry);
    return [{ at: [...at, open.name, ...args], value: [...commandLine(open.block).slice(1), "--config", config] }];
  }
  const name = freeName(servers.map((server) => server.name));
  return [{ at: [...at, name], value: client.entries.create(name, ourCommand(["--config", config])) }];
}

/** A name for our entry that no other server has. */
export function freeName(taken: readonly string[]): string {
  let name = "toolpacks";
  for (let count = 2; taken.includes(name); count += 1) name = `toolpacks-${count}`;
  return name;
}

/** Whether a block runs `serve` without a config file and without `--facet`. */
function acceptsConfig(block: Block, project: string | undefined): boolean {
  const env = (block["env"] ?? {}) as Block;
  const { cwd = project } = block;
  return (
    runsServe(block) &&
    !(ownArguments(block) ?? []).some((word) => /^--(config|facet)(=|$)/.test(word)) &&
    env["TOOLPACKS_CONFIG"] === undefined &&
    (typeof cwd !== "string" || findConfig("toolpacks", cwd) === undefined)
  );
}

function configOf(block: Block): string | undefined {
  const words = ownArguments(block) ?? [];
  const at = words.indexOf("--config");
  const config =
    at === -1 ? words.find((word) => word.startsWith("--config="))?.slice("--config=".length) : words[at + 1];
  return config === undefined ? undefined : path.resolve(config);
}

/** The arguments after our name; undefined when the command does not clearly start toolpacks. */
export function ownArguments(block: Block): readonly string[] | undefined {
  const words = commandLine(block);
  const at = words.findIndex((word) => !word.startsWith("-") && !starters.has(path.parse(word).name));
  const program = words[at] ?? "";
  const isOwn =
    /(^|[\\/])toolpacks(@[^\\/]*|\.\w+)?$/.test(program) ||
    /[\\/]toolpacks[\\/]dist[\\/]cli\.js$/.test(program) ||
    program === ownProgram();
  return isOwn ? words.slice(at + 1) : undefined;
}

/** The command of a block and its arguments. */
export function commandLine({ command, args }: Block): readonly string[] {
  return typeof command === "string" ? [command, ...(Array.isArray(args) ? args : []).map(String)] : [];
}

/**
 * The command line that starts toolpacks: this program's path, or npx when this program is in the npx cache, which may be cleared.
 *
 * @throws ConfigurationError for an argument that the shell of Windows would read as something else
 */
export function ourCommand(
  args: readonly string[],
  { program = ownProgram(), platform = process.platform }: { program?: string; platform?: NodeJS.Platform } = {},
): CommandLine {
  if (!/[\\/]_npx[\\/]/.test(program)) return { command: nodePath(), args: [program, ...args] };
  if (platform !== "win32") return { command: "npx", args: ["-y", "toolpacks", ...args] };
  const unsafe = args.find((word) => /[&|<>^%!"]/.test(word));
  if (unsafe !== undefined) {
    throw new ConfigurationError(
      `${unsafe}: cmd.exe cannot pass it to npx; run npm install -g toolpacks, then toolpacks init`,
    );
  }
  // npx is a batch file on Windows, which clients cannot start without its shell.
  return { command: "cmd", args: ["/c", "npx", "-y", "toolpacks", ...args] };
}

/** The path of Node.js in `$PATH`, which an upgrade keeps, if it is the running one. */
function nodePath(): string {
  const found = findProgram("node");
  return found !== undefined && realpathSync(found) === realpathSync(process.execPath) ? found : process.execPath;
}

/** Whether the programs exist that a block names by absolute paths. */
export function isStartable(block: Block): boolean {
  const own = ownArguments(block)?.length ?? 0;
  const words = commandLine(block);
  return words.slice(0, words.length - own).every((word) => !path.isAbsolute(word) || existsSync(word));
}

function ownProgram(): string {
  return realpathSync(process.argv[1] ?? "");
}
