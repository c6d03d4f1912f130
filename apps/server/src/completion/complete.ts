import { findTool, wordsInPack } from "@toolpacks/tool-commands";
import type { Option } from "commander";
import { printableText, type Io, writeOutput } from "@toolpacks/terminal";
import type { CommandEntry } from "../command-line/command-entry.ts";
import { allCommands, parentSummaries } from "../command-line/commands.ts";
import { findRoute, isParent } from "../command-line/program.ts";
import { serveCommand } from "../command-line/serve-commands.ts";
import { knownTools } from "../tool-commands/runtime-tools.ts";
import { takeOwnFlags, toolEntry } from "../tool-commands/tool-entry.ts";

/** A word that a shell offers. */
interface Word {
  readonly word: string;
  readonly help: string;
}

/** `toolpacks complete -- <words>`: prints the words that may stand in place of the last one, for a shell. Other servers are not started. */
export async function complete(io: Io, _flags: unknown, words: readonly string[]): Promise<void> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const found = await possibleWords(io, before, current);
  const lines = found.filter(({ word }) => word.startsWith(current));
  writeOutput(io, lines.map(({ word, help }) => `${word}\t${printableText(help, 80)}\n`).join(""));
}

async function possibleWords(io: Io, before: readonly string[], current: string): Promise<readonly Word[]> {
  const [first] = before;
  if (first === undefined && !current.startsWith("-")) return [...commandWords(), ...(await packWords(io))];
  if (first !== undefined && isParent(first) && before.length === 1) return subcommandWords(first);
  const route = findRoute(before);
  if ("entry" in route) {
    const { entry } = route;
    const isFirst = entry.name === "call" && before.length === 1 && !current.startsWith("-");
    return isFirst ? toolNames(io) : entryWords(entry, before, current);
  }
  return "unknown" in route ? toolWords(io, before, current) : entryWords(serveCommand, before, current);
}

function commandWords(): readonly Word[] {
  const shown = allCommands.filter(({ isHidden }) => isHidden !== true);
  const single = shown
    .filter(({ name }) => !name.includes(" "))
    .map(({ name, summary }) => ({ word: name, help: summary }));
  return [...single, ...Object.entries(parentSummaries).map(([word, help]) => ({ word, help }))];
}

function subcommandWords(parent: string): readonly Word[] {
  const own = allCommands.filter(({ name }) => name.startsWith(`${parent} `));
  return own.map(({ name, summary }) => ({ word: name.slice(parent.length + 1), help: summary }));
}

async function packWords(io: Io): Promise<readonly Word[]> {
  const { packs } = await knownTools(io, {});
  return packs.map(({ name, description }) => ({ word: name, help: description }));
}

async function toolNames(io: Io): Promise<readonly Word[]> {
  const { tools } = await knownTools(io, {});
  return tools.map(({ name, description }) => ({ word: name, help: description }));
}

/** The words of a pack's tools, or the flags of the tool that the words name. */
async function toolWords(io: Io, before: readonly string[], current: string): Promise<readonly Word[]> {
  const { flags, rest } = takeOwnFlags(io, before);
  const { tools } = await knownTools(io, flags);
  const named = findTool(tools, rest);
  if (named !== undefined)
    return entryWords(toolEntry(named.tool, (await named.tool.schemas()).input).entry, before, current);
  const [pack = "", ...begun] = rest;
  const start = begun.length === 0 ? "" : `${begun.join(" ")} `;
  return tools
    .filter((tool) => tool.pack === pack)
    .map((tool) => ({ name: wordsInPack(tool, tools), help: tool.description }))
    .filter(({ name }) => name.startsWith(start))
    .map(({ name, help }) => ({ word: name.slice(start.length).split(" ")[0] ?? "", help }));
}

/** The flags of a command, the choices of a flag that the last word names, or the choices of its operand. */
function entryWords(entry: CommandEntry, before: readonly string[], current: string): readonly Word[] {
  const { flags = [], shared, operands = [] } = entry;
  const all: readonly Option[] = [...flags, ...(shared?.flags ?? [])];
  const last = all.find(({ long }) => long === before.at(-1));
  if (last !== undefined && (last.required || last.optional))
    return (last.argChoices ?? []).map((word) => ({ word, help: "" }));
  if (!current.startsWith("-")) return (operands[0]?.[2] ?? []).map((word) => ({ word, help: "" }));
  const shown = all
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ word: long ?? "", help: description }));
  return [...shown, { word: "--help", help: "print the help of a command" }];
}
