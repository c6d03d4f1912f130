import { randomNumbers } from "./random-numbers.ts";

/** A sentence with one slip in one of its longer words: a letter left out, added, mistaken, or swapped with the next. */
export function withTypo(sentence: string, seed: number): string {
  const random = randomNumbers(seed + 1);
  const words = [...sentence.matchAll(/[A-Za-z]{4,}/g)];
  const chosen = words[random(words.length)];
  if (chosen === undefined) return sentence;
  const [word] = chosen;
  const at = random(word.length);
  const letter = String.fromCodePoint(97 + random(26));
  const slips = [
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + letter + word.slice(at),
    word.slice(0, at) + letter + word.slice(at + 1),
    word.slice(0, at) +
      word
        .slice(at, at + 2)
        .split("")
        .toReversed()
        .join("") +
      word.slice(at + 2),
  ];
  return sentence.slice(0, chosen.index) + slips[random(slips.length)] + sentence.slice(chosen.index + word.length);
}
