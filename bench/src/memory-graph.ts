import { randomNumbers } from "./random-numbers.ts";

/** An entity in the format of the official memory server. */
export interface GraphEntity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

const vocabulary = 20_000;
const wordsEach = 8;
const types = ["person", "service", "project", "decision", "place"];

/**
 * Entities with three observations each. How often a word occurs follows Zipf's law, as in natural language: the most frequent one is in every
 * third observation or so, and most are rare.
 */
export function* makeEntities(count: number, seed = 1): Generator<GraphEntity> {
  const random = randomNumbers(seed);
  const word = () => {
    // Inverse of the cumulated 1/rank: ranks are spread evenly on a logarithmic scale.
    const rank = Math.floor(vocabulary ** (random(1_000_000) / 1_000_000));
    return spell(rank);
  };
  for (let at = 0; at < count; at += 1) {
    yield {
      name: `${spell(random(400))} ${spell(400 + random(4_000))} ${seed === 1 ? "" : "x"}${at}`,
      entityType: types[random(types.length)] ?? "person",
      observations: Array.from({ length: 3 }, () => Array.from({ length: wordsEach }, word).join(" ")),
    };
  }
}

const onsets = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st"];
const vowels = ["a", "e", "i", "o", "u"];

/** A word for each number. */
function spell(number: number): string {
  let rest = number + onsets.length * vowels.length;
  let word = "";
  while (rest > 0) {
    word += `${onsets[rest % onsets.length]}${vowels[Math.floor(rest / onsets.length) % vowels.length]}`;
    rest = Math.floor(rest / (onsets.length * vowels.length));
  }
  return word;
}
