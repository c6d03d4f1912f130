import { createFieldIndex } from "./field-index.ts";
import { createScorer, type ConceptScores, type Scorer } from "./fielded-bm25.ts";
import { likeness } from "./likeness.ts";
import { createNameCoverage } from "./name-coverage.ts";
import { readQuery, type Concept } from "./query.ts";
import { best, type Ranked } from "./ranking.ts";
import type { Searchable } from "./searchable.ts";
import { attributeScores, diversify, type ConceptShares } from "./diversify.ts";
import { tuning } from "./tuning.ts";
import { createTypoIndex, type FindTypos } from "./typos.ts";

/** The result of a search. */
export interface Ranking {
  /** Tools by their index in the catalog, best first. Scores compare within one ranking only; 0 means similar but no match. */
  readonly hits: readonly Ranked[];
  /** Number of hits before the scores fall off: 1 when one answer is clear, all when nothing matches. */
  readonly topCount: number;
  /** Whether even the best hit matches little of the query. */
  readonly weak: boolean;
}

export interface RankOptions {
  /** Number of hits. Fewer only when there are fewer tools. */
  readonly limit: number;
  /** Ranks only the tools of this pack. */
  readonly pack?: string | undefined;
  /** The similarity of meaning of each tool of the catalog, by index: cosines with the sentence. Without it, only words count. */
  readonly similarities?: ArrayLike<number> | undefined;
}

/** Ranks the tools of a catalog by a sentence. The same catalog and sentence always give the same ranking. */
export interface SearchIndex {
  /** Replaces the catalog. */
  update(catalog: readonly Searchable[]): void;
  rank(sentence: string, options: RankOptions): Ranking;
}

/** Number of best matches that are diversified. */
const maxDiversified = 50;

export function createSearchIndex(): SearchIndex {
  let tools: readonly Searchable[] = [];
  let state: ReturnType<typeof createScoringState> | undefined;

  /** Tools with similar names, for when too few tools match. */
  const lookalikes = (sentence: string, places: readonly number[], count: number) => {
    const likenessOf = (at: number) => 1 + likeness(sentence, tools[at]?.name ?? "");
    return best(places, likenessOf, count).map(({ at }) => ({ at, score: 0 }));
  };

  return {
    update(catalog) {
      tools = catalog;
      state = undefined;
    },
    rank(sentence, { limit, pack, similarities }) {
      state ??= createScoringState(tools);
      const { index, scorer, raiseNames, typos } = state;
      const concepts = readQuery(sentence, { index, typos });
      const parts = concepts.map((concept) => scorer.score(concept));
      const scores = new Float64Array(tools.length);
      for (const part of parts) addUp(scores, part);
      raiseNames(scores, concepts);
      if (similarities !== undefined) addMeaning(scores, similarities, meaningWeight(concepts, scorer));
      for (const [at, { weight }] of tools.entries()) if (weight !== undefined) scores[at] = (scores[at] ?? 0) * weight;

      const candidates = places(tools, pack);
      const matching = best(candidates, (at) => scores[at] ?? 0, Math.max(limit, maxDiversified));
      const shares = attributeScores(matching.slice(0, maxDiversified), parts, tools.length);
      const found = [...diversify(shares, limit), ...matching.slice(maxDiversified)].slice(0, limit);
      const missing = limit - found.length;
      const hits = missing <= 0 ? found : [...found, ...lookalikes(sentence, without(candidates, found), missing)];
      return {
        hits,
        topCount: found.length === 0 ? hits.length : countTop(found),
        weak: coverage(shares, concepts, scorer) < tuning.weak,
      };
    },
  };
}

/** Creates what ranks one catalog. */
function createScoringState(tools: readonly Searchable[]) {
  const index = createFieldIndex(tools);
  const scorer = createScorer(index);
  let findTypos: FindTypos | undefined;
  // Indexes the words at the first word that no tool holds.
  const typos: FindTypos = (word) => {
    findTypos ??= createTypoIndex(index.lexicon.allWords().filter((known) => index.has(known)));
    return findTypos(word);
  };
  return {
    index,
    scorer,
    raiseNames: createNameCoverage(index, scorer),
    typos,
  };
}

function addUp(scores: Float64Array, part: ConceptScores): void {
  for (let at = 0; at < part.slots.length; at += 1) {
    const slot = part.slots[at] ?? 0;
    scores[slot] = (scores[slot] ?? 0) + (part.scores[at] ?? 0);
  }
}

/** Adds to the score of each document its similarity of meaning. Dissimilar ones lose nothing. @param weight the score of a similarity of 1 */
function addMeaning(scores: Float64Array, similarities: ArrayLike<number>, weight: number): void {
  for (let at = 0; at < scores.length; at += 1)
    scores[at] = (scores[at] ?? 0) + weight * Math.max(0, similarities[at] ?? 0);
}

/** The weight of meaning: the more the rarest words of a query could score, the more their meaning counts. */
function meaningWeight(concepts: readonly Concept[], scorer: Scorer): number {
  const rarities = concepts.filter(({ isWord }) => isWord).map(({ stem }) => scorer.rarity(stem));
  const rarest = rarities.toSorted((one, other) => other - one).slice(0, tuning.meaningWords);
  return tuning.meaning * rarest.reduce((sum, rarity) => sum + rarity, 0);
}

function places(tools: readonly Searchable[], pack: string | undefined): readonly number[] {
  return tools.flatMap((tool, at) => (pack === undefined || tool.pack === pack ? [at] : []));
}

function without(places: readonly number[], found: readonly Ranked[]): readonly number[] {
  const taken = new Set(found.map(({ at }) => at));
  return places.filter((at) => !taken.has(at));
}

function countTop(found: readonly Ranked[]): number {
  const minScore = tuning.fallOff * (found[0]?.score ?? 0);
  const end = found.findIndex(({ score }) => score < minScore);
  return end < 0 ? found.length : end;
}

/** The share of the query's words that the best hit matches, weighted by rarity: 0 to 1. */
function coverage({ shares }: ConceptShares, concepts: readonly Concept[], scorer: Scorer): number {
  let all = 0;
  let matched = 0;
  for (const [at, { isWord, stem }] of concepts.entries()) {
    if (!isWord) continue;
    const rarity = scorer.rarity(stem);
    all += rarity;
    if ((shares[0]?.[at] ?? 0) > 0) matched += rarity;
  }
  return all === 0 ? 0 : matched / all;
}
