import { Argument, Command, type Option } from "commander";
import { hasColors, type Io, writeError, writeOutput } from "@toolpacks/terminal";
import type { CommandEntry } from "./command-entry.ts";
import { allCommands, defaultCommands, parentSummaries } from "./commands.ts";
import { serveCommand } from "./serve-commands.ts";

/** What the first words of a command line select. */
export type Route =
  | { readonly entry: CommandEntry; readonly rest: readonly string[] }
  /** The words of a command that is not in the table. */
  | { readonly unknown: readonly string[] }
  /** The help of the program, or of the commands below a word. */
  | { readonly help: string; readonly isError?: boolean };

/** Finds the command that the words select. Without the name of a command, it is `serve`. */
export function findRoute(words: readonly string[]): Route {
  const [first = "", second = "", ...others] = words;
  if (isHelp(first)) return { help: "" };
  if (first === "-v" || first === "--version") return findRoute(["version"]);
  if (first === "" || first.startsWith("-")) return { entry: serveCommand, rest: words };
  const single = allCommands.find(({ name }) => name === first);
  // The pack `search` has the name of a command, which takes one sentence.
  const isOfPack = first === "search" && [second, others[0] ?? "-"].every((word) => !word.startsWith("-"));
  if (single !== undefined && !isOfPack) return { entry: single, rest: words.slice(1) };
  const double = allCommands.find(({ name }) => name === `${first} ${second}`);
  if (double !== undefined) return { entry: double, rest: others };
  if (!isParent(first)) return { unknown: words };
  if (isHelp(second)) return { help: first };
  const fallback = allCommands.find(({ name }) => name === defaultCommands[first]);
  if (second !== "" && !second.startsWith("-")) return { unknown: words };
  return fallback === undefined ? { help: first, isError: true } : { entry: fallback, rest: words.slice(1) };
}

/** Whether commands of two words begin with this one. */
export function isParent(word: string): boolean {
  return Object.hasOwn(parentSummaries, word);
}

/** Whether a word asks for help. */
export function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

/** Runs a command of the table with the words after its name. Resolves with its exit code. @throws CommanderError for wrong flags or operands */
export async function runEntry(io: Io, entry: CommandEntry, rest: readonly string[]): Promise<number> {
  const command = createCommand(io, entry);
  const end = rest.indexOf("--");
  if (rest.slice(0, end < 0 ? undefined : end).some(isHelp)) {
    const { describeCommand } = await import("./describe-help.ts");
    describeCommand(command, entry);
  }
  let code = 0;
  command.action(async (...all: readonly unknown[]) => {
    const run = await entry.load();
    code = (await run(io, command.opts(), ...all.slice(0, command.registeredArguments.length))) ?? 0;
  });
  await command.parseAsync([...rest], { from: "user" });
  return code;
}

/** Creates the parser of a command, which also renders its help. */
export function createCommand(io: Io, entry: CommandEntry, name = `toolpacks ${entry.name}`): Command {
  const { summary, operands = [], flags = [], shared, usage, isLenient = false } = entry;
  const command = plainCommand(io, name).description(summary);
  for (const [form, help, choices] of operands) {
    const argument = new Argument(form, help);
    command.addArgument(choices === undefined ? argument : argument.choices([...choices]));
  }
  addFlags(command, flags);
  if (shared !== undefined) {
    command.optionsGroup(shared.title);
    addFlags(command, shared.flags);
    command.optionsGroup("Options:");
  }
  if (usage !== undefined) command.usage(usage);
  return isLenient ? command.allowUnknownOption().allowExcessArguments() : command;
}

/** A command that writes to the streams of `io` and throws errors. */
export function plainCommand(io: Io, name: string): Command {
  return new Command(name)
    .helpOption("-h, --help", "print the help of a command")
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => void writeOutput(io, text),
      writeErr: (text) => writeError(io, text),
      getOutHelpWidth: () => io.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => hasColors(io, io.stdout),
      getErrHasColors: () => hasColors(io, io.stderr),
    })
    .exitOverride();
}

function addFlags(command: Command, flags: readonly Option[]): void {
  for (const option of flags) command.addOption(option);
}
