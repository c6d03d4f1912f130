import { createDocumentSlots, type Document } from "./document-slots.ts";
import type { FieldIndex } from "./field-index.ts";
import { createScorer, type ConceptScores, type Scorer } from "./fielded-bm25.ts";
import { likeness } from "./likeness.ts";
import { createNameCoverage, type NameCoverage } from "./name-coverage.ts";
import { createPackMention, type PackMention } from "./pack-mention.ts";
import { readQuery, type Concept } from "./query.ts";
import { best, type Ranked } from "./ranking.ts";
import type { Searchable } from "./searchable.ts";
import { attributeScores, diversify, type ConceptShares } from "./diversify.ts";
import { tuning } from "./tuning.ts";
import { createTypoIndex, type TypoIndex } from "./typos.ts";

/** Tools by their places in the catalog, best first. */
export interface Ranking {
  /** Scores compare within one ranking only; 0 is the nearest of no match. */
  readonly hits: readonly Ranked[];
  /** How many of the hits stand before scores fall off: 1 when one answer is clear, all when nothing matches. */
  readonly topCount: number;
  /** True when even the best says little of what was asked. */
  readonly weak: boolean;
}

export interface RankOptions {
  /** How many hits: exactly so many, as far as there are tools. */
  readonly limit: number;
  /** Ranks the tools of this pack alone. */
  readonly pack?: string | undefined;
}

/** Ranks a catalog's tools by a sentence. The same catalog and sentence give the same ranking, whatever was indexed before. */
export interface SearchIndex {
  /** Takes a catalog in place of the one before, analysing only what is new in it. */
  update(catalog: readonly Searchable[]): void;
  rank(sentence: string, options: RankOptions): Ranking;
}

/** The hits among which the order of the first is decided. */
const contenders = 50;

/** What is worked out once for a catalog, at its first query. */
interface Prepared {
  readonly scorer: Scorer;
  readonly names: NameCoverage;
  readonly packs: PackMention;
  /** Made at the first word that no tool says. */
  readonly typos: () => TypoIndex;
}

export function createSearchIndex(): SearchIndex {
  const slots = createDocumentSlots();
  let documents: readonly Document[] = [];
  let prepared: Prepared | undefined;

  const slotAt = (at: number) => documents[at]?.slot ?? -1;

  /** The nearest by the letters of their names, for want of anything that matches. */
  const lookalikes = (sentence: string, places: readonly number[], most: number) => {
    const likenessOf = (at: number) => 1 + likeness(sentence, documents[at]?.text.name ?? "");
    return best(places, likenessOf, most).map(({ at }) => ({ at, score: 0 }));
  };

  return {
    update(catalog) {
      documents = slots.update(catalog);
      prepared = undefined;
    },
    rank(sentence, { limit, pack }) {
      const { index } = slots;
      prepared ??= prepare(documents, index);
      const { scorer, names, packs, typos } = prepared;
      const concepts = readQuery(sentence, { index, typos });
      const parts = concepts.map((concept) => scorer.score(concept));
      const scores = new Float64Array(index.slots);
      for (const part of parts) addUp(scores, part);
      names.raise(scores, concepts);
      packs.raise(scores, concepts);

      const within = places(documents, pack);
      const matching = best(within, (at) => scores[slotAt(at)] ?? 0, Math.max(limit, contenders));
      const leading = matching.slice(0, contenders).map(({ at, score }) => ({ at, slot: slotAt(at), score }));
      const owed = attributeScores(leading, parts, index.slots);
      const first = diversify(owed, limit).map(({ at, score }) => ({ at, score }));
      const found = [...first, ...matching.slice(contenders)].slice(0, limit);
      const wanting = limit - found.length;
      const hits = wanting <= 0 ? found : [...found, ...lookalikes(sentence, without(within, found), wanting)];
      return {
        hits,
        topCount: found.length === 0 ? hits.length : countTop(found),
        weak: explained(owed, concepts, scorer) < tuning.weak,
      };
    },
  };
}

function prepare(documents: readonly Document[], index: FieldIndex): Prepared {
  const scorer = createScorer(index);
  let typos: TypoIndex | undefined;
  return {
    scorer,
    names: createNameCoverage(documents, scorer),
    packs: createPackMention(documents, index),
    typos: () => (typos ??= createTypoIndex(index.lexicon.allWords().filter((word) => index.has(word)))),
  };
}

function addUp(scores: Float64Array, part: ConceptScores): void {
  for (let at = 0; at < part.slots.length; at += 1) {
    const slot = part.slots[at] ?? 0;
    scores[slot] = (scores[slot] ?? 0) + (part.scores[at] ?? 0);
  }
}

function places(documents: readonly Document[], pack: string | undefined): readonly number[] {
  const all: number[] = [];
  for (let at = 0; at < documents.length; at += 1)
    if (pack === undefined || documents[at]?.text.pack === pack) all.push(at);
  return all;
}

function without(places: readonly number[], found: readonly Ranked[]): readonly number[] {
  const taken = new Set(found.map(({ at }) => at));
  return places.filter((at) => !taken.has(at));
}

function countTop(found: readonly Ranked[]): number {
  const least = tuning.fallOff * (found[0]?.score ?? 0);
  const end = found.findIndex(({ score }) => score < least);
  return end < 0 ? found.length : end;
}

/** How much of what a query says the best hit says too, by rarity: 0 to 1. */
function explained({ owed }: ConceptShares, concepts: readonly Concept[], scorer: Scorer): number {
  let all = 0;
  let said = 0;
  for (const [at, { word, stem }] of concepts.entries()) {
    if (!word) continue;
    const rarity = scorer.rarity(stem);
    all += rarity;
    if ((owed[0]?.[at] ?? 0) > 0) said += rarity;
  }
  return all === 0 ? 0 : said / all;
}
