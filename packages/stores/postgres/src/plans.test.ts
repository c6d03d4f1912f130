import type { QueryPlan } from "@toolpacks/store";
import { noteLayout, notePlans } from "@toolpacks/store-sql/fixture";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { find } from "./reader.ts";
import { openPostgres } from "./postgres-driver.ts";
import { createDatabase } from "./fixture/index.ts";

/** How a query that reads a page comes at the records, as PostgreSQL explains it: their count first, then the page. */
async function steps(client: Client, plan: QueryPlan): Promise<readonly string[]> {
  const explained: string[] = [];
  await find(
    {
      query: async () => [],
      async run({ sql, parameters }) {
        const { rows } = await client.query<Record<string, string>>(`EXPLAIN (COSTS OFF) ${sql}`, [...parameters]);
        const lines = rows.map((row) => String(row["QUERY PLAN"]).replace("->", "").trim());
        explained.push(...lines.filter((line) => /Scan.*note/.test(line)));
        return [{ place: null, total: 0, now: 0 }];
      },
    },
    noteLayout,
    plan,
  );
  return explained;
}

/** An import of records. Their statistics are those that the store makes. */
const manyRecords = `
  ALTER TABLE kind_note__record SET (autovacuum_enabled = false);
  INSERT INTO workspace (name) VALUES ('default');
  INSERT INTO kind_note__record (seq, workspace, id, generation, closed, data, words)
  SELECT n, 1, 'id' || n, n, 0,
    jsonb_build_object('writer', 'writer' || n % 500, 'number', n % 1000, 'tags', jsonb_build_array('tag' || n % 300)),
    ('word' || n % 400)::tsvector
  FROM generate_series(1, 20000) AS n`;

test("no query scans a whole table, except to count all records", async () => {
  const server = await createDatabase();
  const driver = await openPostgres({ address: server.address, schema: "plans", connections: 2, timeoutMs: 1_000 });
  const client = new Client({
    connectionString: server.address,
    options: "-c search_path=plans",
  });
  onTestFinished(async () => {
    await client.end();
    await driver.end();
    await server.remove();
  });
  await driver.ensureKind(noteLayout);
  await client.connect();
  await client.query(manyRecords);
  for (const plan of Object.values(notePlans)) await driver.find(noteLayout, plan);
  const plans: Record<string, readonly string[]> = {};
  for (const [name, plan] of Object.entries(notePlans)) plans[name] = await steps(client, plan);
  expect(plans).toMatchInlineSnapshot(`
    {
      "a range, sorted by it": [
        "Index Scan using kind_note__by_number_c788c788 on kind_note__record r",
        "Index Scan using kind_note__by_number_c788c788 on kind_note__record r_1",
      ],
      "an array's item": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
        "Bitmap Heap Scan on kind_note__record r_1",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
      ],
      "an array's item and a field": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
        "Bitmap Heap Scan on kind_note__record r_1",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
      ],
      "an array's item, sorted": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
        "Bitmap Heap Scan on kind_note__record r_1",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
      ],
      "by age": [
        "Seq Scan on kind_note__record r",
        "Index Scan using kind_note__record_pkey on kind_note__record r_1",
      ],
      "by age, next page": [
        "Seq Scan on kind_note__record r",
        "Index Scan using kind_note__record_pkey on kind_note__record r_1",
      ],
      "one field": [
        "Index Scan using kind_note__by_writer_number_d28be4a6 on kind_note__record r",
        "Index Scan using kind_note__by_writer_26e5e950 on kind_note__record r_1",
      ],
      "one field or an array's item": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_writer_number_d28be4a6",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
        "Bitmap Heap Scan on kind_note__record r_1",
        "Bitmap Index Scan on kind_note__by_writer_number_d28be4a6",
        "Bitmap Index Scan on kind_note__by_tags_a51dbea9",
      ],
      "one field or another": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_writer_number_d28be4a6",
        "Bitmap Index Scan on kind_note__by_number_c788c788",
        "Bitmap Heap Scan on kind_note__record r_1",
        "Bitmap Index Scan on kind_note__by_writer_number_d28be4a6",
        "Bitmap Index Scan on kind_note__by_number_c788c788",
      ],
      "one field, closed too": [
        "Index Scan using kind_note__by_writer_number_d28be4a6 on kind_note__record r",
        "Index Scan using kind_note__by_writer_number_d28be4a6 on kind_note__record r_1",
      ],
      "one field, in every workspace": [
        "Index Scan using kind_note__by_writer_number_d28be4a6 on kind_note__record r",
        "Index Scan using kind_note__by_writer_number_d28be4a6 on kind_note__record r_1",
      ],
      "one field, sorted by another": [
        "Index Scan using kind_note__by_writer_number_d28be4a6 on kind_note__record r",
        "Index Scan Backward using kind_note__by_writer_number_d28be4a6 on kind_note__record r_1",
      ],
      "text and a field": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_writer_number_d28be4a6",
        "Bitmap Index Scan on kind_note__by_words",
        "Bitmap Heap Scan on kind_note__record r_3",
        "Bitmap Index Scan on kind_note__by_writer_number_d28be4a6",
        "Bitmap Index Scan on kind_note__by_words",
        "Index Scan using kind_note__record_pkey on kind_note__record r_1",
        "Bitmap Heap Scan on kind_note__record r_2",
        "Bitmap Index Scan on kind_note__by_writer_number_d28be4a6",
        "Bitmap Index Scan on kind_note__by_words",
      ],
      "text, best first": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_words",
        "Bitmap Heap Scan on kind_note__record r_3",
        "Bitmap Index Scan on kind_note__by_words",
        "Index Scan using kind_note__record_pkey on kind_note__record r_1",
        "Bitmap Heap Scan on kind_note__record r_2",
        "Bitmap Index Scan on kind_note__by_words",
      ],
      "text, sorted": [
        "Bitmap Heap Scan on kind_note__record r",
        "Bitmap Index Scan on kind_note__by_words",
        "Bitmap Heap Scan on kind_note__record r_1",
        "Bitmap Index Scan on kind_note__by_words",
      ],
      "what changed": [
        "Index Only Scan using kind_note__by_generation on kind_note__record r",
        "Index Scan using kind_note__by_generation on kind_note__record r_1",
      ],
    }
  `);
});
