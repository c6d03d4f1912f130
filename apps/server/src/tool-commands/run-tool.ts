import {
  printList,
  withListLimit,
  kebab,
  readToolArguments,
  type CommandTool,
  leadingWords,
  nearestInPack,
  wordsInPack,
  type NamedTool,
  type ToolSource,
} from "@toolpacks/tool-commands";
import { ConfigurationError, ToolError } from "@toolpacks/core";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { describeCommand } from "../command-line/describe-help.ts";
import { createCommand, isHelp, plainCommand } from "../command-line/program.ts";
import { unknownCommand } from "../command-line/unknown-command.ts";
import type { Io } from "@toolpacks/terminal";
import { takeOwnFlags, toolEntry } from "./tool-entry.ts";
import { withToolSource, type ToolFlags } from "./tool-source.ts";

/** Runs the tool that the words name, or prints its help. Resolves with an exit code. @throws ConfigurationError for an unknown name or wrong flags */
export async function runTool(io: Io, words: readonly string[]): Promise<number> {
  const { flags, rest } = takeOwnFlags(io, words);
  return withToolSource({ io, flags }, async (source) => {
    const [first = "", second] = rest;
    if (second === undefined || isHelp(second)) {
      const ofPack = await source.toolsOf(first);
      if (ofPack !== undefined) return showPack(io, ofPack, { pack: first, isError: second === undefined });
    }
    const named = await source.find(rest);
    if (named === undefined) throw await explainUnknown(source, rest);
    const name = rest.slice(0, rest.length - named.rest.length).join(" ");
    return callNamed(io, { name, source, flags, named });
  });
}

interface NamedCall {
  /** The words that name the tool. */
  readonly name: string;
  readonly source: ToolSource;
  readonly flags: ToolFlags;
  readonly named: NamedTool;
}

async function callNamed(io: Io, { name, source, flags, named: { tool, rest } }: NamedCall): Promise<number> {
  const { input, output } = await tool.schemas();
  const { entry, fields } = toolEntry({ ...tool, name }, input);
  const command = createCommand(io, entry).allowExcessArguments();
  describeCommand(command, entry);
  const pairs: string[] = [];
  command.parse(normalFlags(rest, pairs), { from: "user" });
  const words = [...pairs, ...command.args];
  const given = await readToolArguments(io, { fields, input, words, options: command.opts() });
  const required = output?.["required"];
  const hasItems = Array.isArray(required) && required.includes("items");
  const args = hasItems ? withListLimit(given, input) : given;
  const call = { name: tool.name, args, needsValue: hasItems || flags.json === true };
  const place = flags.root?.[0] ?? flags.workspace ?? flags.url ?? io.env["TOOLPACKS_URL"];
  const shown = { json: flags.json, place };
  return printList(io, { source, call, flags: shown, outcome: await source.call(call) });
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
function showPack(
  io: Io,
  tools: readonly CommandTool[],
  { pack, isError }: { pack: string; isError: boolean },
): number {
  const parent = describeCommand(plainCommand(io, `toolpacks ${pack}`));
  for (const tool of tools) parent.command(wordsInPack(tool, tools)).description(firstLine(tool.description));
  parent.usage("<command> [options]").outputHelp({ error: isError });
  return isError ? 2 : 0;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** The error for words that name no tool: why the tool that they may mean is not mounted, or else the nearest name. */
async function explainUnknown(source: ToolSource, words: readonly string[]): Promise<Error> {
  const [first = "", ...others] = leadingWords(words);
  const prefix = bundledPacks.find(({ name }) => name === first)?.prefix;
  const names = [
    [first, ...others.slice(0, 1)].join("_"),
    ...(prefix === undefined ? [] : [`${prefix}${others[0] ?? ""}`]),
  ];
  for (const name of names) {
    const error = await source.tool(name).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (ToolError.is(error) && error.code === "denied") return error;
  }
  const tools = await source.toolsOf(first);
  if (tools === undefined) return unknownCommand(words, source.packs);
  const near = nearestInPack(tools, others);
  return new ConfigurationError(
    `unknown command ${[first, ...others].join(" ")}${near === undefined ? "" : ` (did you mean ${first} ${near}?)`}; toolpacks ${first} --help lists the commands`,
  );
}
