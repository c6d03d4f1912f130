import type { Command } from "commander";
import { closest } from "@toolpacks/core";
import { ConfigurationError } from "../configuration-error.ts";

/** The error for an unknown command of a program, or of a command with subcommands. It names the nearest command. */
export function unknownCommand(parent: Command, name: string): ConfigurationError {
  const near = closest(
    name,
    parent.commands.map((command) => command.name()),
    0.6,
  );
  const question = near === undefined ? "" : ` (did you mean ${near}?)`;
  const help = ["toolpacks", "help", ...commandPath(parent)].join(" ");
  return new ConfigurationError(`unknown command ${name}${question}; ${help} lists the commands`);
}

/** The names that lead from the program to a command. */
export function commandPath(command: Command): readonly string[] {
  return command.parent === null ? [] : [...commandPath(command.parent), command.name()];
}
