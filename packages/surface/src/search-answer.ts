import { estimateTokens } from "@toolpacks/core";
import { briefSignature, cutSignature, readySignature, type Findable } from "./ready-signature.ts";

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

/** Maximum names of hits that a later group repeats. */
const maxRepeated = 8;

const maxHeadingCharacters = 60;

/** The line before the hits of a query. */
function heading(query: string, at: number): string {
  const line = query.replaceAll(/\s+/g, " ").trim();
  return `${at + 1}. ${line.length > maxHeadingCharacters ? `${line.slice(0, maxHeadingCharacters)}…` : line}`;
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

/** One group of an answer, as its structured form has it. */
interface ShownGroup {
  readonly query: string;
  readonly hits: readonly number[];
  readonly hint?: string | undefined;
}

/** Renders the hits of several queries. A hit of an earlier query is only named. */
export function renderGroups(
  groups: readonly ShownGroup[],
  items: readonly { readonly name: string; readonly signature: string }[],
): readonly string[] {
  const shown = new Set<number>();
  return groups.flatMap(({ query, hits, hint }, at) => {
    const repeated = hits.filter((place) => shown.has(place));
    const lines = hits.filter((place) => !shown.has(place)).map((place) => items[place]?.signature ?? "");
    const names = repeated.slice(0, maxRepeated).map((place) => items[place]?.name);
    const see = names.length === 0 ? [] : [`see above: ${[...new Set(names)].join(", ")}`];
    const isBestRepeated = hits[0] !== undefined && shown.has(hits[0]);
    for (const place of hits) shown.add(place);
    return [
      heading(query, at),
      ...(isBestRepeated ? [...see, ...lines] : [...lines, ...see]),
      ...(hint === undefined ? [] : [hint]),
    ];
  });
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
