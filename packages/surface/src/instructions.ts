import { coreFacet, isRestricted, type Catalog, type Pack, type Rights } from "@toolpacks/core";
import { aboutPack } from "./about-pack.ts";

/** Maximum length of the instructions. Claude Code cuts them at 2 KB. */
const maxCharacters = 1900;

/** Maximum length of the names in the first sentence: of a server that it defers, Copilot CLI shows 157 characters, and Codex 247. */
const maxNames = 90;

const searchHint = "; tool_search finds their tools.";

interface Shown {
  readonly catalog: Catalog;
  readonly rights: Rights;
  readonly exposed: readonly string[];
}

const allRecordTools = ["store_put", "store_query", "store_close"];

/** The tools of records that may be called. Without a restriction, no pack is loaded to find out. */
async function recordTools({ catalog, rights }: Shown): Promise<readonly string[]> {
  if (!isRestricted(rights)) return allRecordTools;
  const allowed = new Set((await catalog.entriesOf(["store"])).map(({ tool }) => tool.name));
  return allRecordTools.filter((name) => allowed.has(name));
}

/** The server's instructions on discovery: what is mounted, and how to reach it. At most 600 o200k tokens. */
async function discoveryInstructions(shown: Shown): Promise<string> {
  const { catalog, exposed } = shown;
  const { packs } = catalog;
  const head =
    `${purposeOf(packs)}Most of its tools are not listed: tool_search takes every step of your plan at once and answers calls; ` +
    "tool_read then makes one that changes nothing, tool_invoke any, with {name, args}, " +
    "or several at once with {calls: [{name, args}, …]}, where ${steps.s1.items[0].id} is from the first one's result. " +
    "tool_describe says more of a call.";
  const listed = exposed.filter((facet) => facet !== coreFacet);
  const also = listed.length === 0 ? [] : [`Listed as well: ${listed.join(", ")}.`];
  const kinds = packs.flatMap((pack) => pack.kinds.map(({ name }) => name));
  const tools = kinds.length === 0 ? [] : await recordTools(shown);
  const records = tools.length === 0 ? [] : [`Kinds of record, for ${enumerate(tools)}: ${kinds.join(", ")}.`];
  return clipLines([head, ...also, ...records, "Mounted packs:", ...(await packLines(packs))], searchHint);
}

/** On direct: the instructions or description of each listed pack. */
async function directInstructions({ catalog, exposed }: Shown): Promise<string> {
  const shown = catalog.packs.filter((pack) => exposed.includes(pack.name));
  const lines = shown.map(
    async (pack) =>
      `${pack.name}: ${(await catalog.instructionsOf(pack)) ?? (await pack.remote?.about?.()) ?? pack.description}`,
  );
  const purpose = purposeOf(shown).trim();
  return clipLines(
    [...(purpose === "" ? [] : [purpose]), ...(await Promise.all(lines))],
    exposed.includes(coreFacet) ? searchHint : ".",
  );
}

/** On two-tool. The description of `getTools` holds the index of the tools. */
async function twoToolInstructions({ catalog }: Shown): Promise<string> {
  const head =
    `${purposeOf(catalog.packs)}getTools finds tools by what they do and explains them; useTools calls them, several at once where that helps. ` +
    'A tool is named after its pack: "memory: remember" is {pack: "memory", tool: "remember"}. ' +
    "Say with each call of useTools in context which session it is for, what happened so far, and its goal. " +
    "Without workspaceId, a call is in this project's workspace.";
  return clipLines([head, "Mounted packs:", ...(await packLines(catalog.packs))], "; getTools names them all.");
}

/** Instructions by surface. */
export const instructions = {
  direct: directInstructions,
  discovery: discoveryInstructions,
  "two-tool": twoToolInstructions,
} as const;

/** When to use the server, which clients show first. Packs that serve the others, such as the relay, are left out. */
function purposeOf(packs: readonly Pack[]): string {
  const names = packs.filter(({ core }) => core !== true).map(({ name }) => name);
  let length = 0;
  const shown = names.filter((name) => (length += name.length + 2) <= maxNames);
  const rest = names.length - shown.length;
  return shown.length === 0
    ? ""
    : `Use this server for ${enumerate(rest === 0 ? shown : [...shown, `${rest} more`])}. `;
}

function enumerate(names: readonly string[]): string {
  return names.join(", ").replace(/, ([^,]*)$/, " and $1");
}

function packLines(packs: readonly Pack[]): Promise<readonly string[]> {
  return Promise.all(packs.map(async (pack) => `- ${pack.name}: ${await aboutPack(pack)}`));
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
