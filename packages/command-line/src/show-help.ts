import type { Command } from "commander";
import type { Io } from "@toolpacks/terminal";
import { describeCommand } from "./describe-help.ts";
import { allCommands, findRoute, isParent, type HelpRoute } from "./find-route.ts";
import { createCommand, plainCommand } from "./parser.ts";
import type { Program } from "./program.ts";
import { unknownCommand } from "./unknown-command.ts";

/** Prints the help of the command that the words name. @throws ConfigurationError for an unknown command */
export async function showHelp(io: Io, program: Program, words: readonly string[]): Promise<number | void> {
  const [first = "", ...others] = words;
  if (first === "" || (isParent(program, first) && others.length === 0)) return printHelp(io, program, { help: first });
  const route = findRoute(program, words);
  if ("entry" in route) {
    const { entry } = route;
    describeCommand(createCommand(io, entry, `${program.name} ${entry.name}`), entry).outputHelp();
    return;
  }
  if (isParent(program, first) || program.others === undefined) throw unknownCommand(program, words);
  return (await program.others()).run(io, [...words, "--help"]);
}

/** Prints the help of the program, or of the commands below a word. */
export function printHelp(io: Io, program: Program, { help, isError = false }: HelpRoute): void {
  const command =
    help === "" ? programCommand(io, program) : parentCommand(io, program, help).name(`${program.name} ${help}`);
  command.outputHelp({ error: isError });
}

/** Creates a command with all others of a program below it, for its help and a reference. */
export function programCommand(io: Io, program: Program): Command {
  const { name: programName, description, version, groups } = program;
  const whole = plainCommand(io, programName)
    .description(description)
    .version(version, "-v, --version", "print the version");
  for (const { title, commands } of groups) {
    whole.commandsGroup(title);
    for (const word of new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))) {
      if (isParent(program, word)) whole.addCommand(parentCommand(io, program, word));
      for (const entry of commands.filter(({ name }) => name === word)) {
        whole.addCommand(describeCommand(createCommand(io, entry, word), entry), { hidden: entry.isHidden === true });
      }
    }
  }
  const note = `The help of a command: ${programName} help ${program.defaults?.[""] ?? "<command>"}`;
  return describeCommand(whole, { examples: program.examples, note });
}

function parentCommand(io: Io, program: Program, word: string): Command {
  const parent = describeCommand(plainCommand(io, word).description(program.parents?.[word] ?? ""));
  for (const entry of allCommands(program).filter((one) => one.name.startsWith(`${word} `))) {
    parent.addCommand(describeCommand(createCommand(io, entry, entry.name.slice(word.length + 1)), entry));
  }
  return parent;
}
