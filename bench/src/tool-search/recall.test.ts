import { describe, expect, test } from "vitest";
import { toolpacks } from "./rankers.ts";
import { meanRecall, measureRecall } from "./recall.ts";
import { half, readPublicSets } from "./tool-sets.ts";
import { withTypo } from "./typo.ts";

const sets = readPublicSets();

describe.skipIf(sets === undefined)("the ranking of tools, on the questions that it was not tuned on", async () => {
  const heldOut = (sets ?? []).map((set) => half(set, "held out"));
  const recalls = await Promise.all(heldOut.map(async (set) => measureRecall(toolpacks, set)));

  test("ranks at least 51.5 % of the right tools first and 84 % in the first five, as the mean of four public sets", () => {
    const { at1, at5 } = meanRecall(recalls);
    expect(at1).toBeGreaterThanOrEqual(0.515);
    expect(at5).toBeGreaterThanOrEqual(0.84);
  });

  test("loses at most 5 points on each set with one typo per sentence", { timeout: 300_000 }, async () => {
    for (const set of heldOut) {
      const some = { ...set, questions: set.questions.filter((_, at) => at % 4 === 0) };
      const { at1, at5 } = await measureRecall(toolpacks, some);
      const slipped = await measureRecall(toolpacks, some, withTypo);
      expect(at1 - slipped.at1).toBeLessThan(0.05);
      expect(at5 - slipped.at5).toBeLessThan(0.05);
    }
  });
});

test.skipIf(sets !== undefined)("the public sets are not available, so recall is not tested", () => {
  expect(sets).toBeUndefined();
});

describe("withTypo", () => {
  test("changes one word, always the same", () => {
    const sentence = "create an issue in the repository";
    for (let seed = 0; seed < 200; seed += 1) {
      const changed = withTypo(sentence, seed);
      expect(withTypo(sentence, seed)).toBe(changed);
      const words = changed.split(" ").filter((word, at) => word !== sentence.split(" ")[at]);
      expect(words.length).toBeLessThanOrEqual(1);
    }
  });
});
