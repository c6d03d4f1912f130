import type { FieldIndex } from "./field-index.ts";
import { synonymsOf } from "./synonym-index.ts";
import { joinedWords, markers, meaningful, pairTerms, stemTerm } from "./terms.ts";
import { tuning } from "./tuning.ts";
import type { TypoIndex } from "./typos.ts";
import { proseWords, withoutQuotations } from "./words.ts";

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
  const unquoted = new Set(proseWords(withoutQuotations(sentence)));
  return [
    ...[...words].map((word) => weighted(wordConcept(word, reading), unquoted.has(word) ? 1 : tuning.quoted)),
    ...neighbourConcepts(all, reading),
  ];
}

function wordConcept(word: string, { index, typos }: QueryReading): Concept {
  const stem = stemTerm(word);
  const forms = known(index, [
    { term: word, weight: tuning.exactForm },
    { term: stem, weight: 1 },
    { term: markers.joined + word, weight: tuning.neighbours },
  ]);
  const slips = forms.length > 0 ? [] : typos().nearest(word).flatMap(slipTerms);
  return { stem, forms, substitutes: known(index, [...standIns(stem), ...slips]) };
}

/** Two words together, as one word in a tool (`google sheets`, `googlesheets`), as the same two, or as another word for them. */
function neighbourConcepts(words: readonly string[], { index }: QueryReading): readonly Concept[] {
  const joined = joinedWords(words).flatMap((word) => {
    const term = [word, markers.joined + word].find((one) => index.has(one));
    return term === undefined ? [] : [term];
  });
  return [...new Set([...joined, ...pairTerms(words)])]
    .map((term) => ({
      forms: known(index, [{ term, weight: tuning.neighbours }]),
      substitutes: known(index, standIns(term)),
    }))
    .filter(({ forms, substitutes }) => forms.length + substitutes.length > 0);
}

function slipTerms(word: string): readonly WeightedTerm[] {
  const stem = stemTerm(word);
  return [{ term: stem, weight: 1 }, ...standIns(stem)].map(({ term, weight }) => ({
    term,
    weight: weight * tuning.slip,
  }));
}

function standIns(term: string): readonly WeightedTerm[] {
  const { spellings, synonyms } = synonymsOf(term);
  return [
    ...[...spellings].map((one) => ({ term: one, weight: tuning.spelling })),
    ...[...synonyms].map((one) => ({ term: one, weight: tuning.synonym })),
  ];
}

function known(index: FieldIndex, terms: readonly WeightedTerm[]): readonly WeightedTerm[] {
  return terms.filter(({ term }) => index.has(term));
}

function weighted({ stem, forms, substitutes }: Concept, by: number): Concept {
  const times = (terms: readonly WeightedTerm[]) => terms.map(({ term, weight }) => ({ term, weight: weight * by }));
  return { ...(stem !== undefined && { stem }), forms: times(forms), substitutes: times(substitutes) };
}
