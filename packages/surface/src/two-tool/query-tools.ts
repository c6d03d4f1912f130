import { estimateTokens, type Kind } from "@toolpacks/core";
import { isClose, topHits } from "../hit.ts";
import { renderKind } from "../render-kind.ts";
import type { Answer } from "./answer.ts";
import { unknownPack, type PackTools } from "./pack-tools.ts";
import { lineWithin, type NamedTool, type ToolTexts } from "./tool-texts.ts";
import type { TwoTools } from "./two-tools.ts";

/** Maximum tools of a query's answer. */
const maxHits = 5;
/** Estimated tokens of an answer: of one query, and of many together. */
const maxTokensPerQuery = 500;
const maxTokensForAll = 2_000;
/** Estimated tokens that each further hit needs at least. */
const reservedTokens = 32;

export interface ToolQuery {
  readonly query: string;
  readonly pack?: string | undefined;
}

/** Finds the best tools of each query. They are ready to call within the bound. A tool that two queries find is explained once. */
export async function queryTools(
  { packs, finder }: Pick<TwoTools, "packs" | "finder">,
  queries: readonly ToolQuery[],
  texts: ToolTexts,
): Promise<readonly Answer[]> {
  const { entries, finder: search } = await finder();
  const byName = new Map(packs.flatMap((pack) => namedTools(pack).map((one) => [one.entry.tool.name, one] as const)));
  const share = Math.min(maxTokensPerQuery, Math.floor(maxTokensForAll / queries.length));
  const explained = new Set<NamedTool | Kind>();
  const answers: Answer[] = [];
  for (const { query, pack } of queries) {
    if (pack !== undefined && packs.every((one) => one.pack !== pack)) {
      answers.push({ query, tools: [], unknown: [unknownPack(packs, pack)] });
      continue;
    }
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
    const tools = [...(await explain([...named], { share, explained, texts, weak }))];
    if (kind !== undefined) tools.push(explained.has(kind) ? `kind ${kind.name}: above` : await explainKind(kind));
    if (kind !== undefined) explained.add(kind);
    answers.push({ query, tools, ...hintFor(weak, tools.length, pack) });
  }
  return answers;
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
): Promise<readonly string[]> {
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
    const line = isWhole ? whole : at === 0 || isGood ? lineWithin(texts, one, room) : texts.brief(one);
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
