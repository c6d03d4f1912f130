import type { CatalogEntry } from "@toolpacks/core";
import { asObject, parameters } from "./signature.ts";

/** A tool that a query found, best first. Scores compare within one answer only. */
export interface SearchHit {
  readonly entry: CatalogEntry;
  readonly score: number;
}

/** Finds tools by what they do. */
export interface SearchIndex {
  /** Every matching tool, best first; ties in the catalog's order. */
  search(query: string, facet?: string): readonly SearchHit[];
}

interface Indexed {
  readonly entry: CatalogEntry;
  /** How often each term occurs, weighted by the field it occurs in. */
  readonly terms: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Fields count by how deliberately a tool's author chose the word. */
const weights = { name: 3, keywords: 2, parameters: 1.5, description: 1, pack: 1 } as const;

/** BM25's usual constants: how soon repetition saturates, and how much a long text is discounted. */
const saturation = 1.2;
const lengthDiscount = 0.75;

/** Indexes tools for BM25 over name, keywords, pack, description, parameter names and their descriptions. */
export function createSearchIndex(entries: readonly CatalogEntry[]): SearchIndex {
  const documents = entries.map(indexEntry);
  const frequency = new Map<string, number>();
  for (const { terms } of documents)
    for (const term of terms.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);

  const rarity = (term: string) => {
    const count = frequency.get(term) ?? 0;
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
  const score = (query: readonly string[], { terms, length }: Indexed) => {
    const norm = saturation * (1 - lengthDiscount + (lengthDiscount * length) / average);
    return query.reduce((sum, term) => {
      const times = terms.get(term) ?? 0;
      return times === 0 ? sum : sum + (rarity(term) * times * (saturation + 1)) / (times + norm);
    }, 0);
  };

  return {
    search(text, facet) {
      const query = [...new Set(textTerms(text))];
      const hits = documents
        .filter(({ entry }) => facet === undefined || entry.facet === facet)
        .map((document) => ({ entry: document.entry, score: score(query, document) }))
        .filter((hit) => hit.score > 0);
      return hits.sort((a, b) => b.score - a.score);
    },
  };
}

function indexEntry(entry: CatalogEntry): Indexed {
  const { tool, facet } = entry;
  const terms = new Map<string, number>();
  let length = 0;
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) terms.set(word, (terms.get(word) ?? 0) + weight);
    length += words.length;
  };
  add(identifierTerms(tool.name), weights.name);
  add(tool.keywords.flatMap(textTerms), weights.keywords);
  add(identifierTerms(facet), weights.pack);
  add(textTerms(tool.description), weights.description);
  for (const { name, schema } of parameters(tool.input.json())) {
    const { description } = asObject(schema);
    add(identifierTerms(name), weights.parameters);
    if (typeof description === "string") add(textTerms(description), weights.description);
  }
  return { entry, terms, length };
}

const stopWords = new Set(
  "a an and are as at be by can do for from get has have how i in into is it its me my of on or please some that the their there this to want was what when where which will with would you your".split(
    " ",
  ),
);

/** Words of an identifier: `listPullRequests` and `list_pull_requests` are the same three. */
function identifierTerms(identifier: string): readonly string[] {
  return textTerms(identifier.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2"));
}

/** Words of prose, singular and lower-case, without those that say nothing. `GitHub` stays one word. */
function textTerms(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !stopWords.has(word)).map(singular);
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
