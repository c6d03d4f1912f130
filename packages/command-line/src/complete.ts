import type { Option } from "commander";
import { printableText, type Io, writeOutput } from "@toolpacks/terminal";
import { allCommands, findRoute, isParent } from "./find-route.ts";
import type { CommandEntry, Program, Word } from "./program.ts";

/** Prints the words that may stand in place of the last one, for a shell. */
export async function complete(io: Io, program: Program, words: readonly string[]): Promise<void> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const found = await possibleWords(io, program, { before, current });
  const lines = found.filter(({ word }) => word.startsWith(current));
  writeOutput(io, lines.map(({ word, help }) => `${word}\t${printableText(help, 80)}\n`).join(""));
}

interface Begun {
  readonly before: readonly string[];
  readonly current: string;
}

async function possibleWords(io: Io, program: Program, begun: Begun): Promise<readonly Word[]> {
  const { before, current } = begun;
  const [first] = before;
  const others = async () => (await program.others?.())?.complete(io, before, current) ?? [];
  if (first === undefined && !current.startsWith("-")) return [...commandWords(program), ...(await others())];
  if (first !== undefined && isParent(program, first) && before.length === 1) return subcommandWords(program, first);
  const route = findRoute(program, before);
  if ("unknown" in route) return others();
  return "entry" in route ? entryWords(io, route.entry, begun) : [];
}

function commandWords(program: Program): readonly Word[] {
  const single = allCommands(program).filter(({ name, isHidden }) => isHidden !== true && !name.includes(" "));
  const parents = Object.entries(program.parents ?? {}).map(([word, help]) => ({ word, help }));
  return [...single.map(({ name, summary }) => ({ word: name, help: summary })), ...parents];
}

function subcommandWords(program: Program, parent: string): readonly Word[] {
  const own = allCommands(program).filter(({ name }) => name.startsWith(`${parent} `));
  return own.map(({ name, summary }) => ({ word: name.slice(parent.length + 1), help: summary }));
}

/** The flags of a command, the choices of a flag that the last word names, or the values of its operand. */
export async function entryWords(io: Io, entry: CommandEntry, { before, current }: Begun): Promise<readonly Word[]> {
  const { flags = [], shared, operands = [] } = entry;
  const all: readonly Option[] = [...flags, ...(shared?.flags ?? [])];
  const last = all.find(({ long }) => long === before.at(-1));
  if (last !== undefined && (last.required || last.optional)) return choiceWords(last.argChoices);
  if (!current.startsWith("-")) return entry.complete?.(io, before) ?? choiceWords(operands[0]?.[2]);
  const shown = all
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ word: long ?? "", help: description }));
  return [...shown, { word: "--help", help: "print the help of a command" }];
}

function choiceWords(choices: readonly string[] = []): readonly Word[] {
  return choices.map((word) => ({ word, help: "" }));
}
