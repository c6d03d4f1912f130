import { estimateTokens, type Kind } from "@toolpacks/core";
import { isClose, topHits } from "../hit.ts";
import { renderKind } from "../render-kind.ts";
import type { Answer } from "./answer.ts";
import { unknownPack, type PackTools } from "./pack-tools.ts";
import type { NamedTool, ToolTexts } from "./tool-texts.ts";
import type { TwoTools } from "./two-tools.ts";

/** Maximum tools of a query's answer. */
const maxHits = 5;
/** Estimated tokens of an answer: of one query, and of many together. */
const maxTokensPerQuery = 500;
const maxTokensForAll = 2_000;
/** Estimated tokens that each further hit needs at least. */
const reservedTokens = 32;

/**
 * Creates a function that finds the best tools of a query. They are ready to call within the bound. A tool that two queries find is explained once.
 *
 * @param count number of queries that share the bound
 */
export function createQueries(
  { packs, finder }: Pick<TwoTools, "packs" | "finder">,
  texts: ToolTexts,
  count: number,
): (query: string, pack: string | undefined) => Promise<Answer> {
  const byName = new Map(packs.flatMap((pack) => namedTools(pack).map((one) => [one.entry.tool.name, one] as const)));
  const share = Math.min(maxTokensPerQuery, Math.floor(maxTokensForAll / count));
  const explained = new Set<NamedTool | Kind>();
  return async (query, pack) => {
    if (pack !== undefined && packs.every((one) => one.pack !== pack)) {
      return { query, tools: [], unknown: [unknownPack(packs, pack)] };
    }
    const { entries, finder: search } = await finder();
    const ranking = await search.find(query, { limit: maxHits, pack });
    const { weak } = ranking;
    const isNothing = (ranking.hits[0]?.score ?? 0) === 0;
    const hits = isNothing ? [] : topHits(ranking, entries);
    const named = new Map<NamedTool, boolean>();
    for (const hit of hits) {
      const one = byName.get(hit.found.tool.name);
      if (one !== undefined && !named.has(one)) named.set(one, isClose(hit, hits[0]));
    }
    const kind = hits[0]?.found.use?.kind;
    const tools = await explain([...named], { share, explained, texts, weak });
    if (kind !== undefined) tools.push(explained.has(kind) ? `kind ${kind.name}: above` : await explainKind(kind));
    if (kind !== undefined) explained.add(kind);
    return { query, tools, ...hintFor(weak, tools.length, pack) };
  };
}

/** What a record of the kind has, or where that is explained if it is long. */
async function explainKind(kind: Kind): Promise<string> {
  const text = await renderKind(kind);
  if (estimateTokens(text) <= maxTokensPerQuery) return text;
  return `kind ${kind.name}: ${kind.description} Fields: getTools {pack: "kinds", tools: ["${kind.name}"]}`;
}

interface Explaining {
  readonly share: number;
  readonly explained: Set<NamedTool | Kind>;
  readonly texts: ToolTexts;
  /** Whether the tools are only the nearest. Then none is explained in full. */
  readonly weak: boolean;
}

/** @param found the tools, each with whether it is about as good as the best one */
async function explain(
  found: readonly (readonly [NamedTool, boolean])[],
  { share, explained, texts, weak }: Explaining,
): Promise<string[]> {
  let left = share;
  const lines: string[] = [];
  for (const [at, [one, isGood]] of found.entries()) {
    const name = `${one.pack.pack}: `;
    if (explained.has(one)) {
      lines.push(`${name}${one.short}: above`);
      continue;
    }
    explained.add(one);
    const room = left - (found.length - 1 - at) * reservedTokens;
    const whole = at === 0 && !weak ? await texts.whole(one) : undefined;
    const isWhole = whole !== undefined && estimateTokens(whole) <= room;
    const line = isWhole ? whole : at === 0 || isGood ? texts.line(one, room) : texts.brief(one);
    lines.push(`${name}${line}`);
    left -= estimateTokens(line);
  }
  return lines;
}

function hintFor(weak: boolean, count: number, pack: string | undefined): { unknown: string[] } | undefined {
  if (count === 0)
    return { unknown: [`nothing matches${pack === undefined ? "" : ` in ${pack}`}: try other words, or list a pack`] };
  return weak ? { unknown: ["No tool says much of this, these are the nearest. Try other words."] } : undefined;
}

/** The tools of a pack with their names. */
export function namedTools(pack: PackTools): readonly NamedTool[] {
  return [...pack.byShortName].map(([short, entry]) => ({ pack, short, entry }));
}
