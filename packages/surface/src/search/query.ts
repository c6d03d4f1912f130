import type { FieldIndex } from "./field-index.ts";
import { synonymStems } from "./synonym-index.ts";
import { joinedWords, markers, meaningful, pairTerms, stemTerm } from "./terms.ts";
import { tuning } from "./tuning.ts";
import type { TypoIndex } from "./typos.ts";
import { proseWords } from "./words.ts";

/** A term of the index, and how much its occurrence counts. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/** One thing that a query says, and the terms that say it in the index. */
export interface Concept {
  /** The stem of the word it came from; absent for two words together. */
  readonly stem?: string;
  /** Its own forms: their scores add up. */
  readonly forms: readonly WeightedTerm[];
  /** What may stand in for it: the best one counts, where it counts more than the forms do. */
  readonly substitutes: readonly WeightedTerm[];
}

/** What a query is read with. */
export interface QueryReading {
  readonly index: FieldIndex;
  readonly typos: () => TypoIndex;
}

/** Reads a sentence as concepts, each word once. A sentence of nothing but stop words is searched for those. */
export function readQuery(sentence: string, reading: QueryReading): readonly Concept[] {
  const all = proseWords(sentence);
  const kept = meaningful(all);
  const words = new Set(kept.length > 0 ? kept : all);
  return [...[...words].map((word) => wordConcept(word, reading)), ...neighbourConcepts(all, reading)];
}

function wordConcept(word: string, { index, typos }: QueryReading): Concept {
  const { vocabulary } = index;
  const stem = stemTerm(word);
  const known = ({ term }: WeightedTerm) => vocabulary.has(term);
  const forms = [
    { term: word, weight: tuning.exactForm },
    { term: stem, weight: 1 },
    { term: markers.joined + word, weight: tuning.neighbours },
  ].filter(known);
  const synonyms = [...synonymStems(stem)].map((term) => ({ term, weight: tuning.synonym })).filter(known);
  const slips = forms.length > 0 ? [] : typos().nearest(word).flatMap(slipTerms);
  return { stem, forms, substitutes: [...synonyms, ...slips] };
}

function slipTerms(word: string): readonly WeightedTerm[] {
  return [
    { term: stemTerm(word), weight: tuning.slip },
    ...[...synonymStems(stemTerm(word))].map((term) => ({ term, weight: tuning.slip * tuning.synonym })),
  ];
}

/** Two words together, as one word in a tool (`google sheets`, `googlesheets`) or as the same two. */
function neighbourConcepts(words: readonly string[], { index }: QueryReading): readonly Concept[] {
  const joined = joinedWords(words).flatMap((word) => {
    const term = [word, markers.joined + word].find((one) => index.vocabulary.has(one));
    return term === undefined ? [] : [term];
  });
  const pairs = pairTerms(words).filter((term) => index.vocabulary.has(term));
  return [...new Set([...joined, ...pairs])].map((term) => ({
    forms: [{ term, weight: tuning.neighbours }],
    substitutes: [],
  }));
}
