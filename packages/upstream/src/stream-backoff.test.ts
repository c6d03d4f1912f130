import { expect, test } from "vitest";
import { StreamBackoff } from "./stream-backoff.ts";

/** The delays of streams that each end at once, until no more are opened. */
function delaysOf(backoff: StreamBackoff, streams: number): number[] {
  const delays: number[] = [];
  let now = 100_000;
  try {
    for (;;) {
      const delay = backoff.next(now, streams);
      delays.push(delay);
      now += delay;
    }
  } catch (error) {
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("10 times in a row") });
  }
  return delays;
}

test("streams that end at once are opened after growing delays, ten times", () => {
  const seconds = [0, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30];
  expect(delaysOf(new StreamBackoff(), 1)).toEqual(seconds.map((delay) => delay * 1_000));
  expect(delaysOf(new StreamBackoff(), 2)).toHaveLength(21);
});

test("a stream that was open for a minute is reopened at once, and one that brought a message after a second", () => {
  const backoff = new StreamBackoff();
  for (const now of [100_000, 161_000]) expect(backoff.next(now, 1)).toBe(0);
  expect(backoff.next(161_000, 1)).toBe(1_000);
  expect(backoff.next(162_000, 1)).toBe(2_000);
  backoff.reset();
  expect(backoff.next(164_000, 1)).toBe(1_000);
});
