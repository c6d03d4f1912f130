import type { Command } from "commander";
import { describeHelp } from "./describe-help.ts";
import { unknownCommand } from "./unknown-command.ts";

/** `toolpacks help [command…]`: prints the help of a command. @throws ConfigurationError for an unknown command */
export function showHelp(program: Command, names: readonly string[]): void {
  let command = program;
  for (const name of names) {
    const found = command.commands.find((one) => one.name() === name);
    if (found === undefined) throw unknownCommand(command, name);
    command = found;
  }
  describeHelp(program);
  command.outputHelp();
}

/** Prints the help of a command that needs the name of a subcommand on stderr, with exit code 2. */
export function showSubcommands(program: Command, command: Command): void {
  describeHelp(program);
  command.outputHelp({ error: true });
  process.exitCode = 2;
}
