import { randomBytes } from "node:crypto";

/** 2020-01-01, so that eight digits of base 36 last until 2109. */
const epoch = 1_577_836_800_000;
const digits = 8;
const range = 36n ** BigInt(digits);

/** Random bytes are drawn for many ids at once: the drawing itself is what costs. */
const pool = { bytes: Buffer.alloc(0), at: 0 };

function random(count: number): Buffer {
  if (pool.at + count > pool.bytes.length) Object.assign(pool, { bytes: randomBytes(4_096), at: 0 });
  pool.at += count;
  return pool.bytes.subarray(pool.at - count, pool.at);
}

let lastTime = 0;
let lastRandom = 0n;

/**
 * A new record's id: 16 lower-case letters and digits. The first eight are the time in milliseconds, so ids sort by age; the
 * other eight are random (41 bits), so that machines that never spoke do not collide: two that each make an id every second
 * would meet once in some ten million years. Within a process each id is greater than the one before it, whatever its clock does.
 *
 * A UUIDv7 or ULID says the same in 36 or 26 characters, and ids are what a model reads and repeats most.
 */
export function newRecordId(): string {
  const now = Date.now() - epoch;
  if (now > lastTime) {
    lastTime = now;
    lastRandom = random(8).readBigUInt64BE() % range;
  } else {
    // The same millisecond, or a clock that went back: count on from the last one, by a step that nobody can guess.
    lastRandom += 1n + BigInt(random(4).readUInt32BE());
    if (lastRandom >= range) {
      lastTime += 1;
      lastRandom %= range;
    }
  }
  return lastTime.toString(36).padStart(digits, "0") + lastRandom.toString(36).padStart(digits, "0");
}
