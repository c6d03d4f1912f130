import type { CommandEntry, Program } from "./program.ts";

/** What the first words of a command line select. */
export type Route =
  | { readonly entry: CommandEntry; readonly rest: readonly string[] }
  /** The words of a command that is not in the table. */
  | { readonly unknown: readonly string[] }
  | HelpRoute;

/** The help of the program, or of the commands below a word. */
export interface HelpRoute {
  readonly help: string;
  readonly isError?: boolean;
}

/** Finds the command that the words select. */
export function findRoute(program: Program, words: readonly string[]): Route {
  const [first = "", second = "", ...others] = words;
  if (isHelp(first)) return { help: "" };
  if (first === "-v" || first === "--version") return findRoute(program, ["version"]);
  if (first === "" || first.startsWith("-")) return defaultRoute(program, "", words);
  const all = allCommands(program);
  const single = all.find(({ name }) => name === first);
  if (single !== undefined && single.isOther?.(words.slice(1)) !== true) return { entry: single, rest: words.slice(1) };
  const double = all.find(({ name }) => name === `${first} ${second}`);
  if (double !== undefined) return { entry: double, rest: others };
  if (!isParent(program, first)) return { unknown: words };
  if (isHelp(second)) return { help: first };
  if (second !== "" && !second.startsWith("-")) return { unknown: words };
  return defaultRoute(program, first, words.slice(1));
}

function defaultRoute(program: Program, word: string, rest: readonly string[]): Route {
  const entry = allCommands(program).find(({ name }) => name === program.defaults?.[word]);
  return entry === undefined ? { help: word, isError: true } : { entry, rest };
}

/** All commands of a program, in the order of its help. */
export function allCommands({ groups }: Program): readonly CommandEntry[] {
  return groups.flatMap(({ commands }) => commands);
}

/** Whether commands of two words begin with this one. */
export function isParent({ parents = {} }: Program, word: string): boolean {
  return Object.hasOwn(parents, word);
}

/** Whether a word asks for help. */
export function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}
