import { postgres } from "@toolpacks/store-postgres";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { expect, onTestFinished, test } from "vitest";
import { startOtherProcess } from "./other-server.process.fixture.ts";
import { checkServers, checkSession } from "./random-sessions.fixture.ts";
import { undoable } from "./undo.fixture.ts";

/** 10,000 sessions in all. UNDO_SEED is the first of the seeds. */
const counts = { one: 7_500, two: 1_000, postgres: 500, processes: 750, postgresProcesses: 250 };
const first = Number(process.env["UNDO_SEED"] ?? 1);
const slow = { timeout: 3_000_000, retry: 0 };

async function everySeed(count: number, check: (seed: number) => Promise<unknown>) {
  for (let seed = first; seed < first + count; seed += 1)
    await check(seed).catch((cause: unknown) => {
      throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
    });
}

async function onPostgres(check: (address: string) => Promise<unknown>) {
  const database = await createDatabase();
  await check(database.address).finally(() => database.remove());
}

test(`${counts.one} sessions on SQLite`, slow, () =>
  everySeed(counts.one, async (seed) => {
    const at = undoable();
    await checkSession(at, seed).finally(() => at.end());
  }),
);

test(`${counts.two} sessions of two servers on SQLite`, slow, async () => {
  let refused = 0;
  await everySeed(counts.two, async (seed) => (refused += await checkServers(seed)));
  expect(refused).toBeLessThan(counts.two / 10);
});

test(`${counts.postgres} sessions on PostgreSQL`, slow, () =>
  everySeed(counts.postgres, (seed) =>
    onPostgres(async (address) => {
      const at = undoable(() => postgres(address));
      await checkSession(at, seed).finally(() => at.end());
    }),
  ),
);

test(
  `${counts.processes} sessions of two processes on SQLite, ${counts.postgresProcesses} on PostgreSQL`,
  slow,
  async () => {
    const { open, stop } = startOtherProcess();
    onTestFinished(() => void stop());
    await everySeed(counts.processes, (seed) => checkServers(seed, { openOther: open }));
    await everySeed(counts.postgresProcesses, (seed) =>
      onPostgres((address) => checkServers(seed, { address, openOther: open })),
    );
  },
);
