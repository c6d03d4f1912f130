import { randomBytes } from "node:crypto";

/** Start of the time in ids: 2020-01-01. Eight digits of base 36 then last until 2109. */
const epoch = 1_577_836_800_000;
const digits = 8;
const range = 36n ** BigInt(digits);

/** A pool of random bytes for many ids, because each call of `randomBytes` is slow. */
const pool = { bytes: Buffer.alloc(0), at: 0 };

function random(count: number): Buffer {
  if (pool.at + count > pool.bytes.length) Object.assign(pool, { bytes: randomBytes(4_096), at: 0 });
  pool.at += count;
  return pool.bytes.subarray(pool.at - count, pool.at);
}

let lastTime = 0;
let lastRandom = 0n;

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
    lastRandom = random(8).readBigUInt64BE() % range;
  } else {
    // In the same millisecond, or if the clock went back: add a random step to the last id.
    lastRandom += 1n + BigInt(random(4).readUInt32BE());
    if (lastRandom >= range) {
      lastTime += 1;
      lastRandom %= range;
    }
  }
  return lastTime.toString(36).padStart(digits, "0") + lastRandom.toString(36).padStart(digits, "0");
}
