import { estimateTokens } from "@toolpacks/core";
import { briefSignature, cutSignature, readySignature, type Findable } from "./ready-signature.ts";
import { heading, maxRepeated } from "./search-groups.ts";

/** The hits of one query, best first. */
export interface HitGroup {
  readonly query: string;
  readonly hits: readonly Findable[];
  readonly hint?: string;
}

/** A hit as the answer shows it. */
export interface HitLine {
  readonly found: Findable;
  readonly text: string;
}

/** The hits of all queries, each once. */
export interface HitLayout {
  readonly lines: readonly HitLine[];
  /** For each query, the indexes of its hits in `lines`, best first. */
  readonly places: readonly (readonly number[])[];
  /** Number of different hits, shown or not. */
  readonly total: number;
}

/**
 * Limits in estimated tokens. The estimate may be a fifth too low. `ready` has room for the whole of most real tools. The limit of the answer grows with
 * the number of queries, because an answer that makes a second call needless costs less than the call, which sends the conversation again.
 */
const maxTokens = { ready: 150, brief: 26, answer: 150, perQuery: 150 } as const;

/** Tokens that the best hit of a query leaves for the best hit of each later query. */
const reserved = 100;

/**
 * Lays out the hits of several queries within one limit. The best hit of each query is ready to call, then as many others as fit, by rank. The rest has
 * short lines, as many as fit.
 */
export function layOutHits(groups: readonly HitGroup[]): HitLayout {
  const byRank = ranked(groups);
  const best = new Set(groups.flatMap(({ hits }) => hits.slice(0, 1)).map(keyOf));
  let left = maxTokens.answer + maxTokens.perQuery * groups.length - overhead(groups);
  let bestLeft = best.size;
  const texts = new Map<string, string>();
  for (const [key, found] of byRank) {
    const brief = briefSignature(found, maxTokens.brief);
    const max = Math.min(maxTokens.ready, left - reserved * (bestLeft -= 1));
    const text = best.has(key) ? (readySignature(found, max) ?? cutSignature(found, max) ?? brief) : brief;
    const cost = estimateTokens(text);
    if (cost > left && !best.has(key)) continue;
    left -= cost;
    texts.set(key, text);
  }
  for (const [key, found] of byRank) {
    const brief = texts.get(key);
    if (brief === undefined || best.has(key)) continue;
    const cost = estimateTokens(brief);
    const ready = readySignature(found, Math.min(maxTokens.ready, left + cost)) ?? brief;
    left -= estimateTokens(ready) - cost;
    texts.set(key, ready);
  }
  return laidOut(groups, byRank, texts);
}

/** Estimated tokens of the lines that name queries and repeated hits. */
function overhead(groups: readonly HitGroup[]): number {
  if (groups.length === 1) return 0;
  const seen = new Set<string>();
  let tokens = 0;
  for (const [at, { query, hits }] of groups.entries()) {
    const repeated = hits.filter((found) => seen.has(keyOf(found))).slice(0, maxRepeated);
    tokens += estimateTokens(heading(query, at)) + estimateTokens(repeated.map(({ tool }) => tool.name).join(", ")) + 4;
    for (const found of hits) seen.add(keyOf(found));
  }
  return tokens;
}

/** All hits, each once: first the best of each query, then the second ones. */
function ranked(groups: readonly HitGroup[]): ReadonlyMap<string, Findable> {
  const all = new Map<string, Findable>();
  const depth = Math.max(0, ...groups.map(({ hits }) => hits.length));
  for (let rank = 0; rank < depth; rank += 1) {
    for (const { hits } of groups) for (const found of hits.slice(rank, rank + 1)) all.set(keyOf(found), found);
  }
  return all;
}

/** Lists the lines in the order of the groups. */
function laidOut(
  groups: readonly HitGroup[],
  all: ReadonlyMap<string, Findable>,
  texts: ReadonlyMap<string, string>,
): HitLayout {
  const lines: HitLine[] = [];
  const placeOf = new Map<string, number>();
  const places = groups.map(({ hits }) =>
    hits.flatMap((found) => {
      const key = keyOf(found);
      const text = texts.get(key);
      if (text === undefined) return [];
      const known = placeOf.get(key);
      if (known !== undefined) return [known];
      placeOf.set(key, lines.length);
      return [lines.push({ found, text }) - 1];
    }),
  );
  return { lines, places, total: all.size };
}

function keyOf({ tool, use }: Findable): string {
  return use === undefined ? tool.name : `${tool.name} ${use.name}`;
}
