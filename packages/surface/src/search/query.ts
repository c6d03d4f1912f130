import type { FieldIndex } from "./field-index.ts";
import { synonymsOf } from "./synonym-index.ts";
import { joinedWords, markers, meaningful, pairTerms, stemsOf, stemTerm } from "./terms.ts";
import { tuning } from "./tuning.ts";
import type { TypoIndex } from "./typos.ts";
import { proseWords, withoutQuotations } from "./words.ts";

/** A term by its number, and how much its occurrence counts. */
export interface WeightedTerm {
  readonly term: number;
  readonly weight: number;
}

/** One thing that a query says, and the terms that say it in the index. */
export interface Concept {
  /** A word of the query, or two together. */
  readonly word: boolean;
  /** The stem of the word, where some tool says it. */
  readonly stem: number | undefined;
  /** Its own forms: their scores add up. */
  readonly forms: readonly WeightedTerm[];
  /** What may stand in for it: the best one counts, where it counts more than the forms do. */
  readonly substitutes: readonly WeightedTerm[];
  /** The stems that it says: its own, and less so those that stand in for it. */
  readonly says: readonly WeightedTerm[];
}

/** What a query is read with. */
export interface QueryReading {
  readonly index: FieldIndex;
  readonly typos: () => TypoIndex;
}

/** A term as text, before the index was asked for it. */
interface Candidate {
  readonly text: string;
  readonly weight: number;
}

/** Reads a sentence as concepts, each word once. A sentence of nothing but stop words is searched for those. */
export function readQuery(sentence: string, reading: QueryReading): readonly Concept[] {
  const all = proseWords(sentence);
  const kept = meaningful(all);
  const words = new Set(kept.length > 0 ? kept : all);
  const unquoted = new Set(proseWords(withoutQuotations(sentence)));
  return [
    ...[...words].map((word) => weighted(wordConcept(word, reading), unquoted.has(word) ? 1 : tuning.quoted)),
    ...neighbourConcepts(all, reading.index),
  ];
}

function wordConcept(word: string, { index, typos }: QueryReading): Concept {
  const stem = stemTerm(word);
  const forms = known(index, [
    { text: word, weight: tuning.exactForm },
    { text: stem, weight: 1 },
    { text: markers.joined + word, weight: tuning.neighbours },
  ]);
  const slips = forms.length > 0 ? [] : typos().nearest(word).flatMap(typoCandidates);
  const others = [...substitutesOf(stem), ...slips];
  return {
    word: true,
    stem: known(index, [{ text: stem, weight: 1 }])[0]?.term,
    forms,
    substitutes: known(index, others),
    says: said(index, [{ text: stem, weight: 1 }, ...others]),
  };
}

/** Two words together, as one word in a tool (`google sheets`, `googlesheets`), as the same two, or as another word for them. */
function neighbourConcepts(words: readonly string[], index: FieldIndex): readonly Concept[] {
  const joined = [...joinedWords(words), ...joinedWords(meaningful(words))].map(
    (word) => [word, markers.joined + word].find((one) => index.has(one)) ?? word,
  );
  const concepts = [...new Set([...joined, ...pairTerms(words)])].map((text) => ({
    word: false,
    stem: undefined,
    forms: known(index, [{ text, weight: tuning.neighbours }]),
    substitutes: known(index, substitutesOf(text)),
    says: said(index, substitutesOf(text)),
  }));
  return concepts.filter(({ forms, substitutes }) => forms.length + substitutes.length > 0);
}

function typoCandidates(word: string): readonly Candidate[] {
  const stem = stemTerm(word);
  return [{ text: stem, weight: 1 }, ...substitutesOf(stem)].map(({ text, weight }) => ({
    text,
    weight: weight * tuning.typo,
  }));
}

function substitutesOf(term: string): readonly Candidate[] {
  const { spellings, synonyms } = synonymsOf(term);
  return [
    ...[...spellings].map((text) => ({ text, weight: tuning.spelling })),
    ...[...synonyms].map((text) => ({ text, weight: tuning.synonym })),
  ];
}

/** Those that some tool holds. */
function known({ lexicon, postings }: FieldIndex, candidates: readonly Candidate[]): readonly WeightedTerm[] {
  return candidates.flatMap(({ text, weight }) => {
    const term = lexicon.find(text);
    return term === undefined || postings.frequency(term) === 0 ? [] : [{ term, weight }];
  });
}

function said(index: FieldIndex, candidates: readonly Candidate[]): readonly WeightedTerm[] {
  return known(
    index,
    candidates.flatMap(({ text, weight }) => stemsOf(text).map((stem) => ({ text: stem, weight }))),
  );
}

function weighted(concept: Concept, by: number): Concept {
  if (by === 1) return concept;
  const times = (terms: readonly WeightedTerm[]) => terms.map(({ term, weight }) => ({ term, weight: weight * by }));
  return { ...concept, forms: times(concept.forms), substitutes: times(concept.substitutes) };
}
