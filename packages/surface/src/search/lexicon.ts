import { markers, stemTerm } from "./terms.ts";
import { stopWords } from "./stop-words.ts";

/** A word by the numbers of its terms: as it was written, and stemmed. */
export interface Token {
  readonly word: number;
  readonly stem: number;
}

/** Gives each term a number, once. Comparing and counting numbers is what makes indexing quick. */
export interface Lexicon {
  /** How many numbers were given. */
  readonly size: number;
  /** The number of a term that some tool may hold. */
  find(term: string): number | undefined;
  /** The words that were ever held, as they were written. */
  words(): Iterable<string>;
  /** A word's terms; undefined for a stop word. */
  token(word: string): Token | undefined;
  /** The term of two neighbouring stems. */
  pair(first: number, second: number): number;
  /** The term of two neighbouring words written as one. */
  joined(first: string, second: string): number;
}

/** More terms than any catalog has, and few enough for two numbers to fit in one. */
const mostTerms = 2 ** 26;

const stopped: Token = { word: -1, stem: -1 };

export function createLexicon(): Lexicon {
  const terms = new Map<string, number>();
  const pairs = new Map<number, number>();
  const tokens = new Map<string, Token>();
  let size = 0;

  const give = (term: string) => {
    let id = terms.get(term);
    if (id === undefined) terms.set(term, (id = size++));
    return id;
  };
  const pairKey = (first: number, second: number) => first * mostTerms + second;

  return {
    get size() {
      return size;
    },
    find(term) {
      if (!term.startsWith(markers.pair)) return terms.get(term);
      const [first = -1, second = -1] = term
        .slice(1)
        .split(" ")
        .map((stem) => terms.get(markers.stem + stem));
      return pairs.get(pairKey(first, second));
    },
    words: () => [...tokens].flatMap(([word, token]) => (token === stopped ? [] : [word])),
    token(word) {
      let token = tokens.get(word);
      if (token === undefined) {
        token = stopWords.has(word) ? stopped : { word: give(word), stem: give(stemTerm(word)) };
        tokens.set(word, token);
      }
      return token === stopped ? undefined : token;
    },
    pair(first, second) {
      const key = pairKey(first, second);
      let id = pairs.get(key);
      if (id === undefined) pairs.set(key, (id = size++));
      return id;
    },
    joined: (first, second) => give(markers.joined + first + second),
  };
}
