import type { Command } from "commander";
import { unknownCommand } from "./unknown-command.ts";

/** `toolpacks help [command…]`: prints the help of a command. @throws ConfigurationError for an unknown command */
export function showHelp(program: Command, names: readonly string[]): void {
  let command = program;
  for (const name of names) {
    const found = command.commands.find((one) => one.name() === name);
    if (found === undefined) throw unknownCommand(command, name);
    command = found;
  }
  command.outputHelp();
}
