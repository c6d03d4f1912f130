import type { Option } from "commander";
import type { Io } from "@toolpacks/terminal";

/** A command of the command line. */
export interface CommandEntry {
  /** The words that lead to it, such as `tokens add`. */
  readonly name: string;
  readonly summary: string;
  readonly operands?: readonly Operand[];
  readonly flags?: readonly Option[];
  /** Shared flags, which the help shows below the command's own. */
  readonly shared?: { readonly title: string; readonly flags: readonly Option[] };
  /** Shown instead of the flags and operands in the usage line. */
  readonly usage?: string;
  /** Whether the help and completion leave it out. */
  readonly isHidden?: boolean;
  /** Whether it accepts unknown flags and operands. */
  readonly isLenient?: boolean;
  /** Whether it serves until its client ends: it handles errors of stdout itself, and the process ends with it. */
  readonly isServer?: boolean;
  /** Lines of its help, each a command line with an explanation. */
  readonly examples?: readonly string[];
  /** Loads its code. */
  readonly load: () => Promise<Run>;
}

/** The form of an operand, such as `<file>` or `[ids...]`, what it is, and its choices. */
export type Operand = readonly [form: string, help: string, choices?: readonly string[]];

/** Runs a command. Resolves with its exit code, zero if it has none. */
// The flags and operands of each command have types of their own.
// oxlint-disable-next-line typescript/no-explicit-any
export type Run = (io: Io, flags: any, ...operands: any[]) => Promise<number | void> | number | void;

export interface CommandGroup {
  readonly title: string;
  /** In the order of the help. */
  readonly commands: readonly CommandEntry[];
}
