import { estimateTokens } from "@toolpacks/core";
import { asTool, briefSignature, cutSignature, isOwn, readySignature, type Findable } from "./ready-signature.ts";
import { isClose, type Hit } from "./hit.ts";
import { heading, maxRepeated } from "./search-groups.ts";

/** The hits of one query, best first. */
export interface HitGroup {
  readonly query: string;
  readonly hits: readonly Hit[];
  readonly hint?: string;
}

interface ShownHit {
  readonly name: string;
  readonly facet: string;
  readonly mutates: boolean;
  readonly signature: string;
}

/** The hits of all queries, each once. */
interface HitLayout {
  readonly items: ShownHit[];
  /** For each query, the indexes of its hits in `items`, best first. */
  readonly places: readonly number[][];
  /** Number of different hits, shown or not. */
  readonly total: number;
}

/**
 * Limits in estimated tokens. The estimate may be a fifth too low. `own` and `foreign` have room for the whole of most real tools. The limit of the answer grows with
 * the number of queries, because an answer that makes a second call needless costs less than the call, which sends the conversation again. `reserved` is
 * what the best hit of a query leaves for the best hit of each later query. Declarations have the type of the result besides.
 */
const lineTokens = { own: 260, foreign: 150, brief: 20, answer: 200, perQuery: 120, reserved: 90 } as const;
const codeTokens = { own: 390, foreign: 225, brief: 22, answer: 300, perQuery: 165, reserved: 135 } as const;

/**
 * Lays out the hits of several queries within one limit. The best hit of each query is ready to call. So is the next one if it is about as good and there
 * is room; of a single query, all that are. Others have a short line.
 *
 * @param isCode whether the lines are members of a TypeScript type
 */
export function layOutHits(groups: readonly HitGroup[], isCode = false): HitLayout {
  const maxTokens = isCode ? codeTokens : lineTokens;
  const byRank = ranked(groups);
  const best = new Set(groups.flatMap(({ hits }) => hits.slice(0, 1)).map(keyOf));
  const close = closeHits(groups);
  const repeated = repeatedDescriptions(byRank);
  let left = maxTokens.answer + maxTokens.perQuery * groups.length - overhead(groups);
  let bestLeft = best.size;
  const shownBefore = new Set<string>();
  const texts = new Map<string, string>();
  for (const [key, found] of byRank) {
    const isDescribed = !repeated.has(key);
    const brief = briefSignature(found, { maxTokens: maxTokens.brief, isDescribed, isCode });
    let text = brief;
    if (best.has(key)) {
      const room = left - maxTokens.reserved * (bestLeft -= 1);
      const max = Math.min(isOwn(found) ? maxTokens.own : maxTokens.foreign, room);
      const limits = { maxTokens: max, isDescribed, shownBefore, isCode };
      text = readySignature(found, limits) ?? cutSignature(found, limits) ?? brief;
    }
    const cost = estimateTokens(text);
    if (cost > left && !best.has(key)) continue;
    left -= cost;
    texts.set(key, text);
  }
  for (const [key, found] of byRank) {
    const brief = texts.get(key);
    if (brief === undefined || best.has(key) || !close.has(key)) continue;
    left += estimateTokens(brief);
    const max = Math.min(maxTokens.foreign, left);
    const limits = { maxTokens: max, isDescribed: !repeated.has(key), shownBefore, isCode };
    const ready = readySignature(found, limits) ?? brief;
    left -= estimateTokens(ready);
    texts.set(key, ready);
  }
  return laidOut(groups, byRank, texts);
}

/** The hits whose description a better hit has already, such as two calls for one kind of record. */
function repeatedDescriptions(byRank: ReadonlyMap<string, Findable>): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [key, found] of byRank) {
    const { description } = asTool(found);
    if (seen.has(description)) repeated.add(key);
    seen.add(description);
  }
  return repeated;
}

/** The hits that may be ready to call beside the best one: of each query the best such hit, of a single query all. */
function closeHits(groups: readonly HitGroup[]): ReadonlySet<string> {
  const count = groups.length === 1 ? Number.POSITIVE_INFINITY : 1;
  return new Set(
    groups.flatMap(({ hits: [best, ...others] }) =>
      others
        .filter((hit) => isClose(hit, best))
        .toSorted((one, other) => other.share - one.share)
        .slice(0, count)
        .map(keyOf),
    ),
  );
}

/** Estimated tokens of the lines that name queries and repeated hits. */
function overhead(groups: readonly HitGroup[]): number {
  if (groups.length === 1) return 0;
  const seen = new Set<string>();
  let tokens = 0;
  for (const [at, { query, hits }] of groups.entries()) {
    const repeated = hits.filter((hit) => seen.has(keyOf(hit))).slice(0, maxRepeated);
    tokens +=
      estimateTokens(heading(query, at)) + estimateTokens(repeated.map(({ found }) => found.tool.name).join(", ")) + 4;
    for (const hit of hits) seen.add(keyOf(hit));
  }
  return tokens;
}

/** All hits, each once: first the best of each query, then the second ones. */
function ranked(groups: readonly HitGroup[]): ReadonlyMap<string, Findable> {
  const all = new Map<string, Findable>();
  const depth = Math.max(0, ...groups.map(({ hits }) => hits.length));
  for (let rank = 0; rank < depth; rank += 1) {
    for (const { hits } of groups) for (const hit of hits.slice(rank, rank + 1)) all.set(keyOf(hit), hit.found);
  }
  return all;
}

/** Lists the lines in the order of the groups. */
function laidOut(
  groups: readonly HitGroup[],
  all: ReadonlyMap<string, Findable>,
  texts: ReadonlyMap<string, string>,
): HitLayout {
  const items: ShownHit[] = [];
  const placeOf = new Map<string, number>();
  const places = groups.map(({ hits }) =>
    hits.flatMap((hit) => {
      const key = keyOf(hit);
      const text = texts.get(key);
      if (text === undefined) return [];
      const known = placeOf.get(key);
      if (known !== undefined) return [known];
      placeOf.set(key, items.length);
      const { tool, facet } = hit.found;
      return [items.push({ name: tool.name, facet, mutates: tool.mutates, signature: text }) - 1];
    }),
  );
  return { items, places, total: all.size };
}

function keyOf({ found: { tool, use } }: Hit): string {
  return use === undefined ? tool.name : `${tool.name} ${use.name}`;
}
