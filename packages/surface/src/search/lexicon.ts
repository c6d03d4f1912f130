import { stopWords } from "./stop-words.ts";
import { markers, stemTerm } from "./terms.ts";

export type Lexicon = ReturnType<typeof createLexicon>;

/** Two term numbers below this limit fit in one JavaScript number. */
const maxTerms = 2 ** 26;

const stopWord = -1;

/** Creates a lexicon, which assigns a number to each term: numbers are faster to compare and count than texts. */
export function createLexicon() {
  /** Stems and joined words. */
  const terms = new Map<string, number>();
  const words = new Map<string, number>();
  const pairs = new Map<number, number>();
  const stems: (number | undefined)[] = [];
  const wordsOfStems = new Map<number, number[]>();

  const number = (stem?: number) => stems.push(stem) - 1;
  const term = (text: string) => {
    let id = terms.get(text);
    if (id === undefined) terms.set(text, (id = number()));
    return id;
  };
  const newWord = (word: string) => {
    const stem = term(stemTerm(word));
    const id = number(stem);
    const family = wordsOfStems.get(stem);
    if (family === undefined) wordsOfStems.set(stem, [id]);
    else family.push(id);
    return id;
  };
  const pairKey = (first: number, second: number) => first * maxTerms + second;

  return {
    /** The number of a term. Undefined when no tool ever held it. */
    find(text: string): number | undefined {
      if (text.startsWith(markers.pair)) {
        const space = text.indexOf(" ");
        const first = terms.get(markers.stem + text.slice(markers.pair.length, space));
        const second = terms.get(markers.stem + text.slice(space + 1));
        return first === undefined || second === undefined ? undefined : pairs.get(pairKey(first, second));
      }
      const word = words.get(text);
      return word === undefined || word === stopWord ? terms.get(text) : word;
    },
    /** The number of a word as written. Undefined for a stop word. */
    word(word: string): number | undefined {
      let id = words.get(word);
      if (id === undefined) words.set(word, (id = stopWords.has(word) ? stopWord : newWord(word)));
      return id === stopWord ? undefined : id;
    },
    /** The stem of a word. Undefined for other terms. */
    stem: (id: number) => stems[id],
    /** The words of a stem. Undefined for other terms. */
    words: (stem: number): readonly number[] | undefined => wordsOfStems.get(stem),
    /** The term of two neighbouring stems. */
    pair(first: number, second: number): number {
      const key = pairKey(first, second);
      let id = pairs.get(key);
      if (id === undefined) pairs.set(key, (id = number()));
      return id;
    },
    /** The term of two neighbouring words written as one word. */
    joined: (first: string, second: string) => term(markers.joined + first + second),
    /** Every word with a number. */
    allWords: () => [...words].flatMap(([word, id]) => (id === stopWord ? [] : [word])),
  };
}
