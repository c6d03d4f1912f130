import { createDocumentSlots, type Document } from "./document-slots.ts";
import type { FieldIndex } from "./field-index.ts";
import { createScorer, type Scorer } from "./fielded-bm25.ts";
import { likeness } from "./likeness.ts";
import { coverageFactor, nameStems, saidStems, type NameStems } from "./name-coverage.ts";
import { packNames, raiseMentioned, type PackName } from "./pack-mention.ts";
import { readQuery, type Concept } from "./query.ts";
import type { Searchable } from "./searchable.ts";
import { best, type Ranked } from "./ranking.ts";
import { attribute, spread, type Owed } from "./spread.ts";
import { isWord } from "./terms.ts";
import { tuning } from "./tuning.ts";
import { createTypoIndex, type TypoIndex } from "./typos.ts";

/** Tools by their places in the catalog, best first. */
export interface Ranking {
  /** Scores compare within one ranking only; 0 is the nearest of no match. */
  readonly hits: readonly Ranked[];
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
  readonly names: readonly NameStems[];
  readonly packs: readonly PackName[];
}

export function createSearchIndex(): SearchIndex {
  const slots = createDocumentSlots();
  let documents: readonly Document[] = [];
  let prepared: Prepared | undefined;
  let typos: TypoIndex | undefined;

  const reading = {
    index: slots.index,
    typos: () => (typos ??= createTypoIndex([...slots.index.vocabulary.keys()].filter(isWord))),
  };

  const score = (concepts: readonly Concept[], { scorer, names, packs }: Prepared) => {
    const scores = new Float64Array(slots.index.slots);
    for (const concept of concepts) scorer.each(concept, (slot, score) => (scores[slot] = (scores[slot] ?? 0) + score));
    const said = saidStems(concepts);
    for (const [at, { slot }] of documents.entries()) {
      const name = names[at];
      const score = scores[slot] ?? 0;
      if (score > 0 && name !== undefined) scores[slot] = score * coverageFactor(name, said);
    }
    raiseMentioned(scores, packs, concepts);
    return scores;
  };

  return {
    update(catalog) {
      documents = slots.update(catalog);
      prepared = undefined;
      typos = undefined;
    },
    rank(sentence, { limit, pack }) {
      prepared ??= prepare(documents, slots.index);
      const concepts = readQuery(sentence, reading);
      const scores = score(concepts, prepared);
      const within = [...documents.keys()].filter((at) => pack === undefined || documents[at]?.text.pack === pack);
      const matching = best(within, (at) => scores[slotAt(at)] ?? 0, Math.max(limit, contenders));
      const owed = attribute(
        matching.slice(0, contenders).map(({ at, score }) => ({ at, slot: slotAt(at), score })),
        concepts,
        prepared.scorer,
      );
      const found = [...spread(owed, limit), ...matching.slice(contenders)].slice(0, limit);
      return {
        hits: [...found, ...lookalikes(sentence, without(within, found), limit - found.length)],
        weak: explained(owed, concepts, prepared.scorer) < tuning.weak,
      };
    },
  };

  /** The nearest by the letters of their names, for want of anything that matches. */
  function lookalikes(sentence: string, places: () => readonly number[], most: number): readonly Ranked[] {
    if (most <= 0) return [];
    const likenessOf = (at: number) => 1 + likeness(sentence, documents[at]?.text.name ?? "");
    return best(places(), likenessOf, most).map(({ at }) => ({ at, score: 0 }));
  }

  function slotAt(at: number): number {
    return documents[at]?.slot ?? -1;
  }
}

function prepare(documents: readonly Document[], index: FieldIndex): Prepared {
  const scorer = createScorer(index);
  const slotsByPack = new Map<string, number[]>();
  for (const { slot, text } of documents) {
    if (text.pack === undefined) continue;
    const slots = slotsByPack.get(text.pack);
    if (slots === undefined) slotsByPack.set(text.pack, [slot]);
    else slots.push(slot);
  }
  return {
    scorer,
    names: documents.map(({ terms }) => nameStems(terms.name, scorer)),
    packs: packNames(slotsByPack, index),
  };
}

function without(places: readonly number[], found: readonly Ranked[]): () => readonly number[] {
  const taken = new Set(found.map(({ at }) => at));
  return () => places.filter((at) => !taken.has(at));
}

/** How much of what a query says the best hit says too, by rarity: 0 to 1. */
function explained({ hits, owed }: Owed, concepts: readonly Concept[], scorer: Scorer): number {
  if (hits.length === 0) return 0;
  let all = 0;
  let said = 0;
  for (const [at, { stem }] of concepts.entries()) {
    if (stem === undefined) continue;
    const rarity = scorer.rarity(stem);
    all += rarity;
    if ((owed[0]?.[at] ?? 0) > 0) said += rarity;
  }
  return all === 0 ? 0 : said / all;
}
