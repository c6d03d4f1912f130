import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import type { Block, CommandLine } from "./entry-formats.ts";
import type { KnownClient } from "./known-clients.ts";
import { findProgram, type Machine } from "./machine.ts";

/** The server that clients are set up to start. */
export interface OwnServer {
  /** The name of its npm package, which its entries have too. */
  readonly name: string;
  /** Real path of its program. */
  readonly program: string;
  /** Path of the running Node.js. */
  readonly node: string;
}

/** A machine, and our server on it. */
export interface Setup extends Machine {
  readonly own: OwnServer;
}

/** Programs and subcommands that precede the name of the started package. */
const starters = new Set(["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "node", "dlx", "exec", "x", "cmd", "c"]);

/** Whether a block starts our server, by its name or by the path of its program. */
export function isOurs(block: Block, { name, program }: OwnServer): boolean {
  const names = (word: string) => word.split(/[\\/]/).some((part) => part === name || part.startsWith(`${name}@`));
  return commandLine(block).some((word) => word === program || names(word));
}

/** Whether a block runs the server itself, and no other command such as `relay`. */
export function runsServe(block: Block, own: OwnServer): boolean {
  const [first = "serve"] = ownArguments(block, own) ?? ["another program"];
  return first === "serve" || first.startsWith("-");
}

/** The arguments after our name; undefined when the command does not clearly start our server. */
export function ownArguments(block: Block, { name, program }: OwnServer): readonly string[] | undefined {
  const words = commandLine(block);
  const at = words.findIndex((word) => !word.startsWith("-") && !starters.has(path.parse(word).name));
  const parts = words[at]?.split(/[\\/]/) ?? [];
  const [file = ""] = parts.slice(-1);
  const isOwn =
    file.startsWith(`${name}@`) ||
    path.parse(file).name === name ||
    parts.slice(-3).join("/") === `${name}/dist/cli.js` ||
    words[at] === program;
  return isOwn ? words.slice(at + 1) : undefined;
}

/** The command of a block and its arguments. */
export function commandLine({ command, args }: Block): readonly string[] {
  return typeof command === "string" ? [command, ...(Array.isArray(args) ? args : []).map(String)] : [];
}

/** Takes a flag with a value, in both of its forms, out of the words of a command. */
export function takeFlag(words: readonly string[], flag: string) {
  const rest: string[] = [];
  const values: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith(`${flag}=`)) values.push(word.slice(flag.length + 1));
    else if (word === flag) values.push(words[(at += 1)] ?? "");
    else rest.push(word);
  }
  return { rest, values };
}

/** A name for our entry that no other server has. */
export function freeName(taken: readonly string[], { name }: OwnServer): string {
  let free = name;
  for (let count = 2; taken.includes(free); count += 1) free = `${name}-${count}`;
  return free;
}

/**
 * The command line that starts our server: its program's path, or npx when the program is in the npx cache, which may be cleared.
 *
 * @throws ConfigurationError for an argument that the shell of Windows would read as something else
 */
export function ourCommand(args: readonly string[], setup: Setup): CommandLine {
  const { name, program } = setup.own;
  if (!/[\\/]_npx[\\/]/.test(program)) return { command: nodePath(setup), args: [program, ...args] };
  if (setup.platform !== "win32") return { command: "npx", args: ["-y", name, ...args] };
  const unsafe = args.find((word) => /[&|<>^%!"]/.test(word));
  if (unsafe !== undefined) {
    throw new ConfigurationError(
      `${unsafe}: cmd.exe cannot pass it to npx; run npm install -g ${name}, then ${name} init`,
    );
  }
  // npx is a batch file on Windows, which clients cannot start without its shell.
  return { command: "cmd", args: ["/c", "npx", "-y", name, ...args] };
}

/** A new entry of a client that starts our server. */
export function ourEntry({ entries, listsTools }: KnownClient, name: string, line: CommandLine): Block {
  return { ...entries.create(name, line), ...listsTools };
}

/** The path of Node.js in `$PATH`, which an upgrade keeps, if it is the running one. */
function nodePath(setup: Setup): string {
  const { node } = setup.own;
  const found = findProgram(setup, "node");
  return found !== undefined && realpathSync(found) === realpathSync(node) ? found : node;
}

/** Whether the programs exist that a block names by absolute paths. */
export function isStartable(block: Block, own: OwnServer): boolean {
  const words = commandLine(block);
  const starter = words.slice(0, words.length - (ownArguments(block, own)?.length ?? 0));
  return starter.every((word) => !path.isAbsolute(word) || existsSync(word));
}
