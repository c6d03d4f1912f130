import { closest } from "@toolpacks/core";
import type { CommandTool, NamedTool } from "./command-tool.ts";

type ToolName = Pick<CommandTool, "name" | "pack">;

/**
 * Finds the tool that the first words name: the words of its name, or its pack and the words of its name without the prefix that the tools of the pack share.
 * `issue_list` of the pack `issues` is `issue list`, `issues list` and `issue_list`. The longest name is found.
 */
export function findTool(tools: readonly CommandTool[], words: readonly string[]): NamedTool | undefined {
  const given = leadingWords(words);
  let best: NamedTool | undefined;
  for (const tool of tools) {
    for (const name of namesOf(tool, tools)) {
      const count = countMatching(name, given);
      if (count > 0 && (best === undefined || count > words.length - best.rest.length)) {
        best = { tool, rest: words.slice(count) };
      }
    }
  }
  return best;
}

/** The words that name a tool after the name of its pack. */
export function wordsInPack(tool: ToolName, tools: readonly ToolName[]): string {
  return wordsOf(withoutPrefix(tool, tools)).join(" ");
}

/** The nearest name to words that name no tool of a pack. */
export function nearestInPack(tools: readonly CommandTool[], words: readonly string[]): string | undefined {
  const names = tools.map((tool) => wordsInPack(tool, tools));
  return closest(leadingWords(words).slice(0, 2).join(" "), names, 0.5) ?? closest(words[0] ?? "", names, 0.5);
}

/** The words before the first flag or pair. */
export function leadingWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => !/^[A-Za-z0-9][\w.-]*$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

function namesOf(tool: CommandTool, tools: readonly CommandTool[]): readonly (readonly string[])[] {
  const { name, pack } = tool;
  const short = wordsOf(withoutPrefix(tool, tools));
  const ofPack = wordsOf(pack);
  return [wordsOf(name), [...ofPack, ...short], [...ofPack, ...wordsOf(name)]];
}

/** The name of a tool without the prefix that most tools of its pack share. */
function withoutPrefix({ name, pack }: ToolName, tools: readonly ToolName[]): string {
  const names = tools.filter((tool) => tool.pack === pack).map((tool) => tool.name);
  const counts = Map.groupBy(names, (one) => /^[A-Za-z0-9]+[_-]/.exec(one)?.[0] ?? "");
  const own = `${pack}_`;
  const prefix = names.every((one) => one.startsWith(own))
    ? own
    : ([...counts].toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? "");
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : name;
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[_\s-]+/).filter(Boolean);
}

/** How many of the given words are the whole name: each word of the name, or several joined by `_` or `-`. Zero: they are not. */
function countMatching(name: readonly string[], given: readonly string[]): number {
  const wanted = name.map((word) => word.toLowerCase());
  let at = 0;
  for (const [index, word] of given.entries()) {
    for (const part of wordsOf(word)) {
      if (wanted[at] !== part.toLowerCase()) return 0;
      at += 1;
    }
    if (at === wanted.length) return index + 1;
  }
  return 0;
}
