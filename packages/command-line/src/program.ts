import type { Option } from "commander";
import type { Io } from "@toolpacks/terminal";

/** A command line: a table of commands, and what is said of all of them. */
export interface Program {
  /** The name of the program, such as `toolpacks`. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** In the order of the help. */
  readonly groups: readonly CommandGroup[];
  /** What the commands below a word are for, by this word. */
  readonly parents?: Readonly<Record<string, string>>;
  /** Names of commands by the word that also selects them: a word of `parents`, or an empty text for no word. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Lines of the program's help, each a command line with an explanation. */
  readonly examples?: readonly string[];
  /** Commands that are not in the table, such as those of tools. */
  readonly others?: () => Promise<OtherCommands>;
}

/** Commands of words that the table does not have. */
export interface OtherCommands {
  /** Runs the command that the words name, or prints its help. Resolves with its exit code. */
  readonly run: (io: Io, words: readonly string[]) => Promise<number>;
  /** The words that may follow. Without words before: the first words of all these commands. */
  readonly complete: (io: Io, before: readonly string[], current: string) => Promise<readonly Word[]>;
}

/** A word that a shell offers. */
export interface Word {
  readonly word: string;
  readonly help: string;
}

export interface CommandGroup {
  readonly title: string;
  /** In the order of the help. */
  readonly commands: readonly CommandEntry[];
}

/** A command of the command line. */
export interface CommandEntry {
  /** The words that lead to it, such as `tokens add`. */
  readonly name: string;
  readonly summary: string;
  readonly operands?: readonly Operand[];
  readonly flags?: readonly Option[];
  /** Flags that other commands have too, which the help shows below the command's own. */
  readonly shared?: SharedFlags;
  /** Shown instead of the flags and operands in the usage line. */
  readonly usage?: string;
  /** Text at the end of its help. Default: that of the shared flags. */
  readonly note?: string;
  /** Whether the help and completion leave it out. */
  readonly isHidden?: boolean;
  /** Whether it accepts unknown flags and operands. */
  readonly isLenient?: boolean;
  /** Whether it serves until its client ends: it handles errors of stdout itself, and the process ends with it. */
  readonly isServer?: boolean;
  /** Whether words after its name select one of the other commands. */
  readonly isOther?: (words: readonly string[]) => boolean;
  /** The words that may stand in place of the last one, besides flags. Default: the choices of the first operand. */
  readonly complete?: (io: Io, before: readonly string[]) => Promise<readonly Word[]>;
  /** Lines of its help, each a command line with an explanation. */
  readonly examples?: readonly string[];
  /** Loads its code. */
  readonly load: () => Promise<Run>;
}

export interface SharedFlags {
  readonly title: string;
  readonly flags: readonly Option[];
  readonly note?: string;
}

/** The form of an operand, such as `<file>` or `[ids...]`, what it is, and its choices. */
export type Operand = readonly [form: string, help: string, choices?: readonly string[]];

/** Runs a command. Resolves with its exit code, zero if it has none. */
// The flags and operands of each command have types of their own.
// oxlint-disable-next-line typescript/no-explicit-any
export type Run = (io: Io, flags: any, ...operands: any[]) => Promise<number | void> | number | void;
