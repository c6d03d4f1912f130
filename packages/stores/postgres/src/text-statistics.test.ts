import { noteLayout } from "@toolpacks/store-sql/fixture";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "./database.ts";
import { createDatabase } from "./fixture/index.ts";
import { openPostgres } from "./postgres-driver.ts";
import { textStatistics } from "./text-statistics.ts";

const withoutStatistics = `
  ALTER TABLE kind_note__record SET (autovacuum_enabled = false);
  INSERT INTO workspace (name) VALUES ('default')`;

const insert = (from: number, to: number) => `
  INSERT INTO kind_note__record (seq, workspace, id, generation, closed, data, words)
  SELECT n, 1, 'id' || n, n, 0, '{}', (CASE WHEN n % 2 = 0 THEN 'all half' WHEN n % 5000 = 1 THEN 'all rare' ELSE 'all' END)::tsvector
  FROM generate_series(${from}, ${to}) AS n`;

test("words of a table that has just grown are counted as well as those of an old one", async () => {
  const server = await createDatabase();
  const driver = await openPostgres({ address: server.address, schema: "words", connections: 2, timeoutMs: 5_000 });
  const client = new Client({ connectionString: server.address, options: "-c search_path=words" });
  onTestFinished(async () => {
    await client.end();
    await driver.end();
    await server.remove();
  });
  await driver.ensureKind(noteLayout);
  await client.connect();
  await client.query(withoutStatistics);
  let analyzed = 0;
  const connection: Connection = {
    async query(text, values = []) {
      if (text.startsWith("ANALYZE")) analyzed += 1;
      return (await client.query(text, [...values])).rows;
    },
    run: async ({ sql, parameters }) => (await client.query(sql, [...parameters])).rows,
  };
  const counted = async () => {
    const { counts, records } = await textStatistics(connection, noteLayout, ["all", "half", "rare"]);
    return { ...Object.fromEntries(counts.map(({ word, count }) => [word, count])), records };
  };

  await client.query(insert(1, 20));
  expect(await counted()).toMatchObject({ all: 20, half: 10, rare: 1 });
  expect(analyzed).toBe(0);

  await client.query(insert(21, 20_000));
  expect(await counted()).toEqual({ all: 20_000, half: 10_000, rare: 4, records: 20_000 });
  expect(await counted()).toEqual({ all: 20_000, half: 10_000, rare: 4, records: 20_000 });
  expect(analyzed).toBe(1);

  await client.query(insert(20_001, 24_000));
  await counted();
  expect(analyzed).toBe(1);
  await client.query(insert(24_001, 60_000));
  // Half of these records are a sample.
  expect((await counted())["records"]).toBe(60_000);
  expect(analyzed).toBe(2);
});
