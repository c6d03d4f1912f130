import { createCommand, describeCommand, isHelp, plainCommand, unknownCommand } from "@toolpacks/command-line";
import { ConfigurationError, ToolError } from "@toolpacks/core";
import type { Io } from "@toolpacks/terminal";
import type { CommandTool, NamedTool, ToolSource } from "./command-tool.ts";
import { printList, withListLimit } from "./print-outcome.ts";
import { kebab } from "./schema-flags.ts";
import { readToolArguments } from "./tool-arguments.ts";
import { takeOwnFlags, toolEntry } from "./tool-entry.ts";
import { withToolSource, type ToolFlags, type ToolProgram } from "./tool-program.ts";
import { leadingWords, nearestInPack, wordsInPack } from "./tool-words.ts";

/** Runs the tool that the words name, or prints its help. Resolves with an exit code. @throws ConfigurationError for an unknown name or wrong flags */
export async function runTool(io: Io, tools: ToolProgram, words: readonly string[]): Promise<number> {
  const { flags, rest } = takeOwnFlags(io, tools, words);
  return withToolSource(io, { tools, flags }, async (source) => {
    const [first = "", second] = rest;
    if (second === undefined || isHelp(second)) {
      const ofPack = await source.toolsOf(first);
      const command = plainCommand(io, `${tools.program.name} ${first}`);
      if (ofPack !== undefined) return showPack(command, ofPack, second === undefined);
    }
    const named = await source.find(rest);
    if (named === undefined) throw await explainUnknown(tools, source, rest);
    return callNamed(io, {
      tools,
      name: rest.slice(0, rest.length - named.rest.length).join(" "),
      source,
      flags,
      named,
    });
  });
}

interface NamedCall {
  readonly tools: ToolProgram;
  /** The words that name the tool. */
  readonly name: string;
  readonly source: ToolSource;
  readonly flags: ToolFlags;
  readonly named: NamedTool;
}

async function callNamed(io: Io, { tools, name, source, flags, named: { tool, rest } }: NamedCall): Promise<number> {
  const { input, output } = await tool.schemas();
  const { entry, fields } = toolEntry(tools, tool, input);
  const command = createCommand(io, entry, `${tools.program.name} ${name}`).allowExcessArguments();
  describeCommand(command, entry);
  const pairs: string[] = [];
  command.parse(normalFlags(rest, pairs), { from: "user" });
  const words = [...pairs, ...command.args];
  const given = await readToolArguments(io, { fields, input, words, options: command.opts() });
  const required = output?.["required"];
  const hasItems = Array.isArray(required) && required.includes("items");
  const args = hasItems ? withListLimit(given, input) : given;
  const call = { name: tool.name, args, needsValue: hasItems || flags.json === true };
  return printList(io, { source, call, flags, outcome: await source.call(call) });
}

/** Flags in their form with hyphens. `--where.label bug` is added to the pairs as `where.label=bug`. */
function normalFlags(words: readonly string[], pairs: string[]): string[] {
  const end = words.indexOf("--");
  const shown: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [, name = "", value] = end >= 0 && at >= end ? [] : (/^--([A-Za-z][\w.-]*)(?:=([\s\S]*))?$/.exec(word) ?? []);
    if (name.includes(".")) {
      pairs.push(`${name}=${value ?? words[at + 1] ?? ""}`);
      if (value === undefined) at += 1;
    } else shown.push(name === "" ? word : `--${kebab(name)}${value === undefined ? "" : `=${value}`}`);
  }
  return shown;
}

/** Prints the commands of a pack. Returns the exit code. */
function showPack(pack: ReturnType<typeof plainCommand>, tools: readonly CommandTool[], isError: boolean): number {
  const parent = describeCommand(pack);
  for (const tool of tools) {
    const [firstLine = ""] = tool.description.trim().split("\n", 1);
    parent.command(wordsInPack(tool, tools)).description(firstLine);
  }
  parent.usage("<command> [options]").outputHelp({ error: isError });
  return isError ? 2 : 0;
}

/** The error for words that name no tool: why the tool that they may mean is not mounted, or else the nearest name. */
async function explainUnknown(
  { program, packs }: ToolProgram,
  source: ToolSource,
  words: readonly string[],
): Promise<Error> {
  const [first = "", ...others] = leadingWords(words);
  const prefix = packs.find(({ name }) => name === first)?.prefix;
  const names = [
    [first, ...others.slice(0, 1)].join("_"),
    ...(prefix === undefined ? [] : [`${prefix}${others[0] ?? ""}`]),
  ];
  for (const name of names) {
    const error: unknown = await source.tool(name).catch((failure: unknown) => failure);
    if (ToolError.is(error) && error.code === "denied") return error;
  }
  const tools = await source.toolsOf(first);
  if (tools === undefined) return unknownCommand(program, words, source.packs);
  const near = nearestInPack(tools, others);
  const question = near === undefined ? "" : ` (did you mean ${first} ${near}?)`;
  return new ConfigurationError(
    `unknown command ${[first, ...others].join(" ")}${question}; ${program.name} ${first} --help lists the commands`,
  );
}
