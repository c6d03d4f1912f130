import { entryWords, type Word } from "@toolpacks/command-line";
import type { Io } from "@toolpacks/terminal";
import { knownTools } from "./mounted-tools.ts";
import { takeOwnFlags, toolEntry } from "./tool-entry.ts";
import type { ToolProgram } from "./tool-program.ts";
import { findTool, wordsInPack } from "./tool-words.ts";

interface Begun {
  readonly before: readonly string[];
  readonly current: string;
}

/** The names of packs, the words of a pack's tools, or the flags of the tool that the words before name. Other servers are not started. */
export async function completeTool(io: Io, program: ToolProgram, begun: Begun): Promise<readonly Word[]> {
  const { flags, rest } = takeOwnFlags(io, program, begun.before);
  const mounted = await program.mount(io, flags, true);
  const tools = await knownTools(mounted);
  await mounted.finish();
  const [pack, ...others] = rest;
  if (pack === undefined) return mounted.packs.map(({ name, description }) => ({ word: name, help: description }));
  const named = findTool(tools, rest);
  if (named !== undefined) {
    return entryWords(io, toolEntry(program, named.tool, (await named.tool.schemas()).input).entry, begun);
  }
  const start = others.length === 0 ? "" : `${others.join(" ")} `;
  return tools
    .filter((tool) => tool.pack === pack)
    .map((tool) => ({ name: wordsInPack(tool, tools), help: tool.description }))
    .filter(({ name }) => name.startsWith(start))
    .map(({ name, help }) => ({ word: name.slice(start.length).split(" ")[0] ?? "", help }));
}

/** The names of all tools, for a command whose operand is one. Other servers are not started. */
export async function toolNames(io: Io, program: ToolProgram): Promise<readonly Word[]> {
  const mounted = await program.mount(io, {}, true);
  const tools = await knownTools(mounted);
  await mounted.finish();
  return tools.map(({ name, description }) => ({ word: name, help: description }));
}
