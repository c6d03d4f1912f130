import { Argument, Command, type Option } from "commander";
import { hasColors, type Io, writeError, writeOutput } from "@toolpacks/terminal";
import { isHelp } from "./find-route.ts";
import type { CommandEntry } from "./program.ts";

interface SelectedEntry {
  readonly entry: CommandEntry;
  readonly rest: readonly string[];
}

/** Runs a command with the words after its name. Resolves with its exit code. @throws CommanderError for wrong flags or operands */
export async function runEntry(io: Io, program: string, { entry, rest }: SelectedEntry): Promise<number> {
  const command = createCommand(io, entry, `${program} ${entry.name}`);
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

/** Creates the parser of a command, which also renders its help. The name is that of the program and the command. */
export function createCommand(io: Io, entry: CommandEntry, name: string): Command {
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
