import type { FieldIndex } from "./field-index.ts";
import { synonymsOf } from "./synonym-index.ts";
import { joinedWords, markers, meaningful, pairTerms, stemsOf, stemTerm } from "./terms.ts";
import { tuning } from "./tuning.ts";
import type { FindTypos } from "./typos.ts";
import { proseWords, withoutQuotations } from "./words.ts";

/** The number of a term, and the weight of its occurrences. */
export interface WeightedTerm {
  readonly term: number;
  readonly weight: number;
}

/** One word or word pair of a query, and the terms of the index that match it. */
export interface Concept {
  /** Whether it is one word. Otherwise it is two neighbouring words. */
  readonly isWord: boolean;
  /** The stem of the word. Undefined when no tool holds it. */
  readonly stem: number | undefined;
  /** Forms of the word itself. Their scores are added. */
  readonly forms: readonly WeightedTerm[];
  /** Substitutes of the word. The best one counts, if it scores more than the forms. */
  readonly substitutes: readonly WeightedTerm[];
  /** The stems of the word, and with lower weights those of its substitutes. */
  readonly stems: readonly WeightedTerm[];
}

export interface QueryContext {
  readonly index: FieldIndex;
  readonly typos: FindTypos;
}

/** A term as text, before it is looked up in the index. */
interface Candidate {
  readonly text: string;
  readonly weight: number;
}

/** Parses a sentence into concepts, without duplicate words. Stop words are kept only if there are no other words. */
export function readQuery(sentence: string, context: QueryContext): readonly Concept[] {
  const all = proseWords(sentence);
  const kept = meaningful(all);
  const words = new Set(kept.length > 0 ? kept : all);
  const unquoted = new Set(proseWords(withoutQuotations(sentence)));
  const attributes = attributesIn(all);
  const weightOf = (word: string) =>
    (unquoted.has(word) ? 1 : tuning.quoted) * (attributes.has(word) ? tuning.attribute : 1);
  return [
    ...[...words].map((word) => weighted(wordConcept(word, context), weightOf(word))),
    ...neighbourConcepts(all, context.index),
  ];
}

/** Words that come only after `by`, as in `list issues by label`: they say how things are chosen or sorted, not what the call is about. */
function attributesIn(words: readonly string[]): ReadonlySet<string> {
  const after = words.filter((_, at) => words[at - 1] === "by");
  return new Set(after.filter((word) => words.every((one, at) => one !== word || words[at - 1] === "by")));
}

function wordConcept(word: string, { index, typos }: QueryContext): Concept {
  const stem = stemTerm(word);
  const forms = known(index, [
    { text: word, weight: tuning.exactForm },
    { text: stem, weight: 1 },
    { text: markers.joined + word, weight: tuning.neighbours },
  ]);
  const corrections = forms.length > 0 ? [] : typos(word).flatMap(typoCandidates);
  const others = [...substitutesOf(stem), ...corrections];
  return {
    isWord: true,
    stem: known(index, [{ text: stem, weight: 1 }])[0]?.term,
    forms,
    substitutes: known(index, others),
    stems: knownStems(index, [{ text: stem, weight: 1 }, ...others]),
  };
}

/** Concepts of two neighbouring words: joined (`google sheets` as `googlesheets`), as a pair, or replaced by a synonym. */
function neighbourConcepts(words: readonly string[], index: FieldIndex): readonly Concept[] {
  const joined = [...joinedWords(words), ...joinedWords(meaningful(words))].map(
    (word) => [word, markers.joined + word].find((one) => index.has(one)) ?? word,
  );
  const concepts = [...new Set([...joined, ...pairTerms(words)])].map((text) => ({
    isWord: false,
    stem: undefined,
    forms: known(index, [{ text, weight: tuning.neighbours }]),
    substitutes: known(index, substitutesOf(text)),
    stems: knownStems(index, substitutesOf(text)),
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

/** The candidates that some tool holds. */
function known({ lexicon, postings }: FieldIndex, candidates: readonly Candidate[]): readonly WeightedTerm[] {
  return candidates.flatMap(({ text, weight }) => {
    const term = lexicon.find(text);
    return term === undefined || postings.frequency(term) === 0 ? [] : [{ term, weight }];
  });
}

function knownStems(index: FieldIndex, candidates: readonly Candidate[]): readonly WeightedTerm[] {
  return known(
    index,
    candidates.flatMap(({ text, weight }) => stemsOf(text).map((stem) => ({ text: stem, weight }))),
  );
}

function weighted(concept: Concept, factor: number): Concept {
  if (factor === 1) return concept;
  const times = (terms: readonly WeightedTerm[]) =>
    terms.map(({ term, weight }) => ({ term, weight: weight * factor }));
  return { ...concept, forms: times(concept.forms), substitutes: times(concept.substitutes) };
}
