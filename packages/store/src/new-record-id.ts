import { randomInt } from "node:crypto";

/** Start of the time in ids: 2020-01-01. Eight digits of base 36 then last until 2109. */
const epoch = 1_577_836_800_000;
const digits = 8;
const range = 36 ** digits;

let lastTime = 0;
let lastRandom = 0;

/**
 * Creates a record's id of 16 lower-case letters and digits. The first eight are the time in milliseconds, so ids sort by age. The other eight are
 * random (41 bits), so ids of different machines do not collide. Within a process each id is greater than the previous one, even if the clock goes
 * back.
 *
 * Ids are shorter than a UUIDv7 or ULID, because models read and repeat them often.
 */
export function newRecordId(): string {
  const now = Date.now() - epoch;
  if (now > lastTime) {
    lastTime = now;
    lastRandom = randomInt(range);
  } else {
    // In the same millisecond, or if the clock went back: add a random step to the last id.
    lastRandom += 1 + randomInt(2 ** 32);
    if (lastRandom >= range) {
      lastTime += 1;
      lastRandom %= range;
    }
  }
  return lastTime.toString(36).padStart(digits, "0") + lastRandom.toString(36).padStart(digits, "0");
}
