import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Expectation, stayAwake } from "./process.ts";

const never = (expectation: Expectation) => {
  for (let n = 0; n < 100; n += 1) expectation.learn(false);
};

describe("messages", () => {
  test("are looked for until few of them come in time, and then now and again", () => {
    const expectation = new Expectation();
    expect(expectation.isWorthLooking()).toBe(true);
    never(expectation);
    const looked = Array.from({ length: 160 }, () => expectation.isWorthLooking());
    expect(looked.filter(Boolean)).toHaveLength(10);
  });

  test("that come in time again are looked for again", () => {
    const expectation = new Expectation();
    never(expectation);
    for (let n = 0; n < 10; n += 1) expectation.learn(true);
    expect(expectation.isWorthLooking()).toBe(true);
  });

  test.skipIf(availableParallelism() < 2)("that do not come are learnt from, and no longer waited for", async () => {
    const expectation = new Expectation();
    let looked = 0;
    for (; looked < 1_000 && expectation.isWorthLooking(); looked += 1) {
      stayAwake(expectation);
      await wait(5);
    }
    // Twelve, unless this process was held up meanwhile.
    expect(looked).toBeLessThan(1_000);
  });
});
