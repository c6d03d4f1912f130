import type { Command, Option } from "commander";

/** What a shell completes after the words of one command. */
export interface CommandWords {
  /** The words that lead to the command: `issues board`. Empty: the program. */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
}

export interface Flag {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Lists the words of a program and all its commands. The flags of `serve` are also those of the program, since `serve` is its default command. */
export function commandWords(program: Command): readonly CommandWords[] {
  const all = wordsOf(program, "");
  const serve = all.find(({ path }) => path === "serve");
  const flags = (root: CommandWords) => [
    ...root.flags,
    ...(serve?.flags ?? []).filter(({ long }) => long !== "--help"),
  ];
  return all.map((one) => (one.path === "" ? { ...one, flags: flags(one) } : one));
}

function wordsOf(command: Command, path: string): readonly CommandWords[] {
  const visible = command.createHelp().visibleCommands(command);
  const words = {
    path,
    subcommands: visible.map((one) => ({ name: one.name(), description: one.description() })),
    flags: [...command.options.flatMap(flagOf), help],
  };
  return [words, ...visible.flatMap((one) => wordsOf(one, path === "" ? one.name() : `${path} ${one.name()}`))];
}

const help: Flag = {
  long: "--help",
  short: "-h",
  description: "print the help of a command",
  takesValue: false,
  choices: [],
};

function flagOf({ long, short, description, required, optional, argChoices = [] }: Option): readonly Flag[] {
  return long == null ? [] : [{ long, short, description, takesValue: required || optional, choices: argChoices }];
}

/** The flags of all commands that take a value, each once. A flag means the same in every command. */
export function valueFlags(commands: readonly CommandWords[]): readonly Flag[] {
  const flags = commands.flatMap((one) => one.flags).filter(({ takesValue }) => takesValue);
  return [...new Map(flags.map((flag) => [flag.long, flag])).values()];
}

/** Quotes a text for a shell, in single quotes. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
