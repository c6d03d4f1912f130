import { expect, test } from "vitest";
import { candidateWords, rarity } from "./candidate-words.ts";

const records = 1_000_000;
const counts = (...of: readonly number[]) => of.map((count, at) => ({ word: `w${at}`, count }));

test("candidateWords takes words up to 1,000 records, then pairs of the others up to 1,000 expected ones", () => {
  const { alone, pairs, minScore } = candidateWords({ counts: counts(400_000, 100, 1_500, 30_000, 12_000), records });
  expect(alone).toEqual(["w1"]);
  expect([...pairs]).toEqual([
    ["w2", ["w4", "w3"]],
    ["w4", ["w3"]],
  ]);
  expect(minScore).toBeCloseTo(rarity(12_000, records) + rarity(30_000, records));
});

test("candidateWords takes no common word in a pair, and the newest records with the rarest one if all are common", () => {
  expect(candidateWords({ counts: counts(400_000, 3), records })).toMatchObject({ alone: ["w1"], pairs: new Map() });
  const common = candidateWords({ counts: counts(400_000, 300_000), records });
  expect(common).toMatchObject({ alone: [], pairs: new Map(), newest: ["w1"] });
});

test("rarity is higher the fewer records have a word, and never zero or less", () => {
  expect(rarity(10, records)).toBeGreaterThan(rarity(1_000, records));
  expect(rarity(records, records)).toBeGreaterThan(0);
});
