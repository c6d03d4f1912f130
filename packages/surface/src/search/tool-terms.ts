import type { Lexicon } from "./lexicon.ts";
import { fields, parameterTexts, type Field, type Searchable } from "./searchable.ts";
import { identifierWords, proseWords } from "./words.ts";

/** Gets the number of a term and the number of a field: its index in `fields`. */
export type Visit = (term: number, field: number) => void;

const at = Object.fromEntries(fields.map((field, place) => [field, place])) as Record<Field, number>;

/** Visits every term of a tool, field by field. Indexing spends most of its time here, so no list of terms is created. */
export function visitTerms(tool: Searchable, lexicon: Lexicon, visit: Visit): void {
  const { name, pack, keywords = [], description, inputSchema } = tool;
  const [lead, rest] = splitLead(description);
  const parameters = parameterTexts(inputSchema);
  const words = (all: readonly string[], field: number) => {
    for (const one of all) {
      const word = lexicon.word(one);
      if (word !== undefined) visit(word, field);
    }
  };
  /** Visits words and every two neighbouring stems, without stop words. */
  const wordsAndPairs = (all: readonly string[], field: number) => {
    let before: number | undefined;
    for (const one of all) {
      const word = lexicon.word(one);
      if (word === undefined) continue;
      visit(word, field);
      const stem = lexicon.stem(word) ?? word;
      if (before !== undefined) visit(lexicon.pair(before, stem), field);
      before = stem;
    }
  };
  const joined = (all: readonly string[], field: number) => {
    for (let second = 1; second < all.length; second += 1)
      visit(lexicon.joined(all[second - 1] ?? "", all[second] ?? ""), field);
  };

  const nameWords = identifierWords(name);
  wordsAndPairs(nameWords, at.name);
  joined(nameWords, at.name);
  const packWords = identifierWords(pack ?? "");
  words(packWords, at.pack);
  joined(packWords, at.pack);
  for (const keyword of keywords) words(proseWords(keyword), at.keywords);
  for (const parameter of parameters.names) words(identifierWords(parameter), at.parameters);
  wordsAndPairs(proseWords(lead), at.lead);
  words(proseWords(rest), at.description);
  for (const text of parameters.texts) words(proseWords(text), at.details);
}

/** The stems of a tool's name, without duplicates. */
export function nameStems({ name }: Searchable, lexicon: Lexicon): readonly number[] {
  const words = identifierWords(name).flatMap((word) => lexicon.word(word) ?? []);
  return [...new Set(words.flatMap((word) => lexicon.stem(word) ?? []))];
}

/** Splits a description after its first sentence or line. */
export function splitLead(description: string): readonly [lead: string, rest: string] {
  const text = description.trimStart();
  const end = text.search(/[.!?。](?:\s|$)|\n/u);
  return end < 0 ? [text, ""] : [text.slice(0, end + 1), text.slice(end + 1)];
}
