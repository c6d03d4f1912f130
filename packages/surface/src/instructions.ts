import type { Pack } from "@toolpacks/core";
import { coreFacet } from "./core-tools.ts";
import { firstSentence } from "./signature.ts";

/** Maximum length of the instructions. Claude Code cuts them at 2 KB. */
const maxCharacters = 1900;

const searchHint = "; tool_search finds their tools.";

/** The server's instructions on discovery: what is mounted, and how to reach it. At most 600 o200k tokens. */
function discoveryInstructions(packs: readonly Pack[], exposed: readonly string[]): string {
  const head =
    "Most tools of this server are not listed; find them. tool_search with one step in plain words answers signatures; " +
    "then tool_read calls a tool that changes nothing and tool_invoke any other, with {name, args}. " +
    "tool_describe explains a tool's fields where its signature is not enough.";
  const listed = exposed.filter((facet) => facet !== coreFacet);
  const also = listed.length === 0 ? [] : [`Listed as well: ${listed.join(", ")}.`];
  const kinds = packs.flatMap((pack) => pack.kinds.map(({ name }) => name));
  const records =
    kinds.length === 0
      ? []
      : [
          `Kinds of record, for store_put, store_query and store_close: ${kinds.join(", ")}; tool_describe with kind explains one.`,
        ];
  return clipLines([head, ...also, ...records, "Mounted packs:", ...packs.map(packLine)], searchHint);
}

/** On direct: the instructions or description of each listed pack. */
function directInstructions(packs: readonly Pack[], exposed: readonly string[]): string {
  const shown = packs.filter((pack) => exposed.includes(pack.name));
  return clipLines(
    shown.map(({ name, description, instructions }) => `${name}: ${instructions ?? description}`),
    exposed.includes(coreFacet) ? searchHint : ".",
  );
}

/** On two-tool. The description of `getTools` holds the index of the tools. */
function twoToolInstructions(packs: readonly Pack[]): string {
  const head =
    "getTools explains the tools of the packs it lists; useTools calls them, several at once where that helps. " +
    "Say with each call in context which session it is for, what happened so far, and its goal.";
  return clipLines([head, "Mounted packs:", ...packs.map(packLine)], "; getTools names them all.");
}

/** Instructions by surface. */
export const instructions = {
  direct: directInstructions,
  discovery: discoveryInstructions,
  "two-tool": twoToolInstructions,
} as const;

function packLine({ name, description }: Pack): string {
  return `- ${name}: ${firstSentence(description).slice(0, 160)}`;
}

/** Keeps the first whole lines and adds how many were left out. @param rest how to reach the packs of the other lines */
function clipLines(lines: readonly string[], rest: string): string {
  const kept: string[] = [];
  let length = 0;
  for (const [at, line] of lines.entries()) {
    length += line.length + 1;
    if (length > maxCharacters) return [...kept, `and ${lines.length - at} more${rest}`].join("\n");
    kept.push(line);
  }
  return kept.join("\n");
}
