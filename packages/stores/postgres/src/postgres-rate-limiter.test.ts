import { Pool } from "pg";
import { databaseBehindProxy, type ProxiedDatabase } from "./fixture/index.ts";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { postgresRateLimiter } from "./postgres-rate-limiter.ts";

let server: ProxiedDatabase;
let schemas = 0;
beforeAll(async () => {
  server = await databaseBehindProxy();
  return () => server.remove();
});

/** Rate limiters of several servers on one database. */
function limitersOf(count: number, schema = `rates_${(schemas += 1)}`) {
  const limiters = Array.from({ length: count }, () => postgresRateLimiter(server.address, schema));
  onTestFinished(async () => void (await Promise.all(limiters.map((one) => one.end()))));
  const table = new Pool({ connectionString: server.address });
  table.on("error", () => {});
  onTestFinished(() => table.end());
  return {
    limiters,
    rows: async () => (await table.query(`SELECT * FROM ${schema}.rate`)).rows,
    table,
    schema,
  };
}

const rate = { requests: 10, seconds: 60 };

test("servers that start together count the requests of a caller together, and other callers apart", async () => {
  const { limiters } = limitersOf(3);
  const take = (key: string) =>
    Promise.all(Array.from({ length: 30 }, async (_, at) => limiters[at % 3]?.take(key, rate)));
  const decisions = await take("alice");
  expect(decisions.filter((one) => one?.ok)).toHaveLength(10);
  for (const one of decisions) if (one?.ok === false) expect(one.retryAfterMs).toBeGreaterThan(50_000);
  expect((await take("bob")).filter((one) => one?.ok)).toHaveLength(10);
});

test("a period ends, and each rate of a caller is counted apart", async () => {
  const { limiters } = limitersOf(1);
  const short = { requests: 1, seconds: 1 };
  expect(await limiters[0]?.take("alice", short)).toEqual({ ok: true });
  expect(await limiters[0]?.take("alice", short)).toMatchObject({ ok: false });
  expect(await limiters[0]?.take("alice", rate)).toEqual({ ok: true });
  await expect.poll(() => limiters[0]?.take("alice", short), { timeout: 5_000 }).toEqual({ ok: true });
});

test("no key of a caller is in the database", async () => {
  const { limiters, rows } = limitersOf(1);
  await limiters[0]?.take("alice@example.com", rate);
  expect(await rows()).toHaveLength(1);
  expect(JSON.stringify(await rows())).not.toContain("alice");
});

test("a caller that has used up its rate is refused without the database", async () => {
  const { limiters, table, schema } = limitersOf(1);
  for (let at = 0; at < 11; at += 1) await limiters[0]?.take("alice", rate);
  await table.query(`DELETE FROM ${schema}.rate`);
  expect(await limiters[0]?.take("alice", rate)).toMatchObject({ ok: false });
  expect(await limiters[0]?.take("bob", rate)).toEqual({ ok: true });
});

test("without the database each server limits on its own, without waiting, and they count together again later", async () => {
  const { limiters, rows } = limitersOf(2);
  await limiters[0]?.take("alice", rate);
  await server.stop();
  const began = performance.now();
  const decisions = [];
  for (let at = 0; at < 40; at += 1) decisions.push(await limiters[at % 2]?.take("bob", rate));
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(decisions.filter((one) => one?.ok)).toHaveLength(20);
  await server.start();
  await expect
    .poll(async () => (await limiters[0]?.take("carol", rate), await rows()).length, { timeout: 10_000 })
    .toBeGreaterThan(0);
});

test("counters whose period is over are removed", async () => {
  const { limiters, rows, table, schema } = limitersOf(1);
  await limiters[0]?.take("alice", { requests: 1, seconds: 60 });
  await table.query(`INSERT INTO ${schema}.rate VALUES ('old', 1, 1)`);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    await limiters[0]?.take("alice", rate);
    vi.advanceTimersByTime(300_001);
  } finally {
    vi.useRealTimers();
  }
  await expect.poll(async () => (await rows()).length).toBe(2);
});
