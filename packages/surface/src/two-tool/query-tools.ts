import { estimateTokens, type Kind } from "@toolpacks/core";
import { renderKind } from "../render-kind.ts";
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

export interface ToolQuery {
  readonly query: string;
  readonly pack?: string | undefined;
}

/** The tools that a query found, as text. */
export interface FoundTools {
  readonly query: string;
  readonly tools: readonly string[];
  /** Why there are none, or that they hardly fit. */
  readonly unknown?: readonly string[];
}

/** Finds the best tools of each query. They are ready to call within the bound. A tool that two queries find is explained once. */
export async function queryTools(
  { packs, finder }: Pick<TwoTools, "packs" | "finder">,
  queries: readonly ToolQuery[],
  texts: ToolTexts,
): Promise<readonly FoundTools[]> {
  const { entries, finder: search } = await finder();
  const byName = new Map(packs.flatMap((pack) => namedTools(pack).map((one) => [one.entry.tool.name, one] as const)));
  const share = Math.min(maxTokensPerQuery, Math.floor(maxTokensForAll / queries.length));
  const explained = new Set<NamedTool | Kind>();
  const answers: FoundTools[] = [];
  for (const { query, pack } of queries) {
    if (pack !== undefined && packs.every((one) => one.pack !== pack)) {
      answers.push({ query, tools: [], unknown: [unknownPack(packs, pack)] });
      continue;
    }
    const { hits, topCount, weak } = await search.find(query, { limit: maxHits, pack });
    const isNothing = (hits[0]?.score ?? 0) === 0;
    const found = hits.slice(0, isNothing ? 0 : topCount).flatMap(({ at }) => entries.slice(at, at + 1));
    const named = new Set(found.flatMap(({ tool }) => byName.get(tool.name) ?? []));
    const kind = found[0]?.use?.kind;
    const tools = [...explain([...named], { share, explained, texts, weak })];
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

function explain(found: readonly NamedTool[], { share, explained, texts, weak }: Explaining): readonly string[] {
  let left = share;
  return found.map((one, at) => {
    const name = `${one.pack.pack}: `;
    if (explained.has(one)) return `${name}${one.short}: above`;
    explained.add(one);
    const rest = (found.length - 1 - at) * reservedTokens;
    const text = `${name}${at === 0 && !weak ? texts.within(one, left - rest) : texts.call(one, left - rest)}`;
    left -= estimateTokens(text);
    return text;
  });
}

function hintFor(weak: boolean, count: number, pack: string | undefined): { unknown: readonly string[] } | undefined {
  if (count === 0)
    return { unknown: [`nothing matches${pack === undefined ? "" : ` in ${pack}`}: try other words, or list a pack`] };
  return weak ? { unknown: ["No tool says much of this, these are the nearest. Try other words."] } : undefined;
}

/** The tools of a pack with their names. */
export function namedTools(pack: PackTools): readonly NamedTool[] {
  return [...pack.byShortName].map(([short, entry]) => ({ pack, short, entry }));
}
