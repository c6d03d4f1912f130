import type { Command } from "commander";
import type { Io } from "@toolpacks/terminal";
import { version } from "../version.ts";
import { allCommands, commandGroups, parentSummaries } from "./commands.ts";
import { describeCommand, describeProgram } from "./describe-help.ts";
import { createCommand, findRoute, isParent, plainCommand } from "./program.ts";
import { unknownCommand } from "./unknown-command.ts";

/** `toolpacks help [command…]`: prints the help of a command. @throws ConfigurationError for an unknown command */
export async function showHelp(io: Io, _flags: unknown, words: readonly string[]): Promise<number | void> {
  const [first = "", ...others] = words;
  if (first === "" || (isParent(first) && others.length === 0)) return printHelp(io, first);
  const route = findRoute(words);
  if (!("entry" in route)) {
    if (isParent(first)) throw unknownCommand(words);
    return (await import("../tool-commands/run-tool.ts")).runTool(io, [...words, "--help"]);
  }
  describeCommand(createCommand(io, route.entry), route.entry).outputHelp();
}

/** Prints the help of the program, or of the commands below a word. */
export function printHelp(io: Io, word: string, isError = false): void {
  const command = word === "" ? createProgram(io) : createParent(io, word, `toolpacks ${word}`);
  command.outputHelp({ error: isError });
}

/** Creates the command with all others below it, for its help and the completion. */
export function createProgram(io: Io): Command {
  const program = plainCommand(io, "toolpacks")
    .description("An MCP server that mounts many tool packs behind a tool list of constant size.")
    .version(version, "-v, --version", "print the version");
  for (const { title, commands } of commandGroups) {
    program.commandsGroup(title);
    const names = new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""));
    for (const name of names) {
      if (isParent(name)) program.addCommand(createParent(io, name));
      for (const entry of commands.filter((one) => one.name === name)) {
        program.addCommand(describeCommand(createCommand(io, entry, name), entry), { hidden: entry.isHidden === true });
      }
    }
  }
  describeProgram(program);
  return program;
}

function createParent(io: Io, word: string, name = word): Command {
  const parent = describeCommand(plainCommand(io, name).description(parentSummaries[word] ?? ""));
  for (const entry of allCommands.filter((one) => one.name.startsWith(`${word} `))) {
    parent.addCommand(describeCommand(createCommand(io, entry, entry.name.slice(word.length + 1)), entry));
  }
  return parent;
}
