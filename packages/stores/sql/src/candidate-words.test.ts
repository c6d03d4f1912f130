import { expect, test } from "vitest";
import { candidateWords, rarity } from "./candidate-words.ts";

const records = 1_000_000;
const counts = (...of: readonly number[]) => of.map((count, at) => ({ word: `w${at}`, count }));

test("candidateWords takes rare words up to 2,000 records, then less rare ones up to 20,000", () => {
  expect(candidateWords({ counts: counts(400_000, 100, 1_500, 900, 12_000, 15_000), records })).toEqual({
    rare: ["w1", "w3"],
    middle: ["w2", "w4"],
  });
});

test("candidateWords takes no common word beside a rare one, and the rarest of common words alone", () => {
  expect(candidateWords({ counts: counts(400_000, 3), records })).toEqual({ rare: ["w1"], middle: [] });
  expect(candidateWords({ counts: counts(400_000, 300_000), records })).toEqual({ rare: [], middle: ["w1"] });
  expect(candidateWords({ counts: counts(1_500, 1_600), records: 2_000 })).toEqual({ rare: ["w0"], middle: [] });
});

test("rarity is higher the fewer records have a word, and never zero or less", () => {
  expect(rarity(10, records)).toBeGreaterThan(rarity(1_000, records));
  expect(rarity(records, records)).toBeGreaterThan(0);
});
