import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { addWord, productsWith, readTable, type WordTable } from "./word-table.ts";

/** What texts mean, as vectors: texts with a similar meaning have similar vectors, also if they share no word. */
export interface Meaning {
  /**
   * The unit vector of a text: the direction of the mean of its words. Zeros if no word is known. Made by additions, multiplications and square roots
   * only, so every machine makes the same digits.
   */
  readonly vectorOf: (text: string) => Float32Array;
  /**
   * How near the words of each text are to those of a question: the mean, over the question's words, of the cosine with the nearest word of the text, from −1
   * to 1. Words that tell more count more. 0 if the table knows no word of the question.
   */
  readonly nearness: (question: string, texts: readonly string[]) => Float64Array;
}

/** Names the table that the package has. It changes with the table: vectors of two tables cannot be compared. */
export const tableName = "words-3";

/** Number of a question's words, those that tell most, that are compared alone. */
const maxAskedWords = 6;

let loading: Promise<Meaning> | undefined;

/**
 * Loads the table of word vectors, once in a process: about 2.4 MB, in about 10 ms.
 *
 * @throws Error when the file of the table is missing or damaged
 */
export function loadMeaning(): Promise<Meaning> {
  loading ??= readFile(tableFile()).then((bytes) => meaningOf(readTable(bytes)));
  return loading;
}

export function meaningOf(table: WordTable): Meaning {
  const placesOf = (text: string) => wordsOf(text).flatMap((word) => table.find(word) ?? []);
  const vectorAt = (at: number) => {
    const vector = new Float64Array(table.dimensions);
    addWord(table, at, vector);
    return vector;
  };
  return {
    vectorOf(text) {
      const sum = new Float64Array(table.dimensions);
      for (const at of placesOf(text)) addWord(table, at, sum);
      return unit(sum);
    },
    nearness(question, texts) {
      const words = Array.from(new Set(placesOf(question)), (at) => {
        const vector = vectorAt(at);
        return { vector: unit(vector), length: lengthOf(vector) };
      });
      // A vector is longer the more its word tells.
      const asked = words.toSorted((one, other) => other.length - one.length).slice(0, maxAskedWords);
      const all = asked.reduce((sum, { length }) => sum + length ** 2, 0) || 1;
      const products = asked.map(({ vector }) => productsWith(vector, table));
      const known = new Map<number, readonly number[]>();
      const cosinesOf = (at: number) => {
        const cosines = known.get(at) ?? products.map((product) => product(at));
        known.set(at, cosines);
        return cosines;
      };
      return Float64Array.from(texts, (text) => {
        const cosines = Array.from(new Set(placesOf(text)), cosinesOf);
        const bestOf = (place: number) => cosines.reduce((best, one) => Math.max(best, one[place] ?? -1), -1);
        return asked.reduce((sum, { length }, place) => sum + (length ** 2 / all) * bestOf(place), 0);
      });
    },
  };
}

/** The words of a text in lower case: letters and digits of ASCII. Names such as `listPullRequests` and `list_pull_requests` are split. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return (
    spaced
      .toLowerCase()
      .replaceAll(/['’]s\b|['’]/g, "")
      .match(/[a-z0-9]+/g) ?? []
  );
}

function unit(sum: Float64Array): Float32Array {
  const vector = new Float32Array(sum.length);
  const length = lengthOf(sum) || 1;
  for (let at = 0; at < sum.length; at += 1) vector[at] = (sum[at] ?? 0) / length;
  return vector;
}

function lengthOf(vector: Float64Array): number {
  let squares = 0;
  // Loops over places are many times as fast as iterators.
  for (let at = 0; at < vector.length; at += 1) squares += (vector[at] ?? 0) * (vector[at] ?? 0);
  return Math.sqrt(squares);
}

/** Built code has the table beside it, also in a bundle of several packages. */
function tableFile(): string {
  const isSource = import.meta.url.endsWith(".ts");
  return fileURLToPath(new URL(isSource ? "../data/words.table" : "./words.table", import.meta.url));
}
