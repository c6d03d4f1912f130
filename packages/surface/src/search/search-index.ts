import { createDocumentSlots, type Document } from "./document-slots.ts";
import { createScorer, type Scorer } from "./fielded-bm25.ts";
import { likeness } from "./likeness.ts";
import { coverageFactor, nameStems, saidStems, type NameStems } from "./name-coverage.ts";
import { packNames, raiseMentioned, type PackName } from "./pack-mention.ts";
import { readQuery, type Concept } from "./query.ts";
import type { Searchable } from "./searchable.ts";
import { attribute, spread, type Owed, type Scored } from "./spread.ts";
import { isWord } from "./terms.ts";
import { tuning } from "./tuning.ts";
import { createTypoIndex, type TypoIndex } from "./typos.ts";

/** Where a tool stands in the catalog, and its score. Scores compare within one ranking only; 0 is the nearest of no match. */
export interface Hit {
  readonly at: number;
  readonly score: number;
}

/** Tools, best first. */
export interface Ranking {
  readonly hits: readonly Hit[];
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
      const within = documents.flatMap(({ text }, at) => (pack === undefined || text.pack === pack ? [at] : []));
      const matching = best(within, (at) => scores[documents[at]?.slot ?? -1] ?? 0, Math.max(limit, contenders));
      const contending = matching.slice(0, contenders).map(({ at, score }) => ({ slot: at, score }));
      const owed = attributeTo(contending, concepts, prepared.scorer);
      const order = spread(owed, limit).map(({ slot, score }) => ({ at: slot, score }));
      const hits = [...order, ...matching.slice(contenders)].slice(0, limit);
      const chosen = new Set(hits.map(({ at }) => at));
      const others = hits.length < limit ? within.filter((at) => !chosen.has(at)) : [];
      return {
        hits: [...hits, ...lookalikes(sentence, others, limit - hits.length)],
        weak: explained(owed, concepts, prepared.scorer) < tuning.weak,
      };
    },
  };
}
