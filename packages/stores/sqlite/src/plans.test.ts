import path from "node:path";
import type { QueryPlan } from "@toolpacks/store";
import { note, noteLayout, notePlans } from "@toolpacks/store-sql/fixture";
import { expect, onTestFinished, test } from "vitest";
import { openConnection, type Connection } from "./connection.ts";
import { find } from "./reader.ts";
import { scratchFolder } from "./scratch-folder.fixture.ts";
import { openSqlite } from "./sqlite-driver.ts";
import { sqlite } from "./sqlite.ts";

/** How the queries for a page and its total come at the records, as SQLite explains it. */
function steps(connection: Connection, plan: QueryPlan): readonly string[] {
  const explained: string[][] = [];
  const explaining: Connection = {
    ...connection,
    query(query) {
      const rows = connection.query({ ...query, sql: `EXPLAIN QUERY PLAN ${query.sql}` });
      explained.push(rows.map(({ detail }) => String(detail)).filter((line) => /note|item|\br\b|ORDER/.test(line)));
      return connection.query(query);
    },
  };
  // More than the page holds, so that they are counted too.
  find(explaining, noteLayout, { ...plan, limit: 1 });
  return explained.flat();
}

test("no query scans a whole table", async () => {
  const file = path.join(scratchFolder(), "store.db");
  const driver = await openSqlite(file, { busyTimeoutMs: 1_000 });
  await driver.ensureKind(noteLayout);
  const store = sqlite(file);
  for (const number of [7, 7, 995, 995])
    await store.put(note, { writer: "writer7", number, tags: ["tag7"], text: "word7" });
  await store.end();
  const connection = openConnection(file, { readOnly: true });
  onTestFinished(async () => {
    connection.close();
    await driver.end();
  });
  const plans = Object.fromEntries(Object.entries(notePlans).map(([name, plan]) => [name, steps(connection, plan)]));
  expect(plans).toMatchInlineSnapshot(`
    {
      "a range, sorted by it": [
        "SEARCH r USING INDEX kind_note__by_number_c788c788 (workspace=? AND closed=? AND <expr>>?)",
        "SEARCH r USING COVERING INDEX kind_note__by_number_c788c788 (workspace=? AND closed=? AND <expr>>?)",
      ],
      "an array's item": [
        "SEARCH item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING INDEX kind_note__by_age (workspace=? AND closed=? AND rowid=?)",
        "SEARCH item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING COVERING INDEX kind_note__by_age (workspace=? AND closed=? AND rowid=?)",
      ],
      "an array's item and a field": [
        "SEARCH item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=? AND rowid=?)",
        "SEARCH item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING COVERING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=? AND rowid=?)",
      ],
      "an array's item, sorted": [
        "SEARCH item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING COVERING INDEX kind_note__by_age (workspace=? AND closed=? AND rowid=?)",
      ],
      "by age": [
        "SEARCH r USING INDEX kind_note__by_age (workspace=? AND closed=?)",
        "SEARCH r USING COVERING INDEX kind_note__by_tags_a51dbea9 (workspace=? AND closed=?)",
      ],
      "by age, next page": [
        "SEARCH r USING INDEX kind_note__by_age (workspace=? AND closed=? AND rowid>?)",
        "SEARCH r USING COVERING INDEX kind_note__by_tags_a51dbea9 (workspace=? AND closed=?)",
      ],
      "one field": [
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
        "SEARCH r USING COVERING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
      ],
      "one field or an array's item": [
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
        "SEARCH kind_note__item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
        "SEARCH kind_note__item USING PRIMARY KEY (field=? AND value=?)",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
      ],
      "one field or another": [
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
        "SEARCH r USING INDEX kind_note__by_number_c788c788 (workspace=? AND closed=? AND <expr>=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
        "SEARCH r USING INDEX kind_note__by_number_c788c788 (workspace=? AND closed=? AND <expr>=?)",
      ],
      "one field, closed too": [
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH r USING COVERING INDEX kind_note__by_writer_number_d28be4a6 (workspace=? AND closed=? AND <expr>=?)",
      ],
      "one field, in every workspace": [
        "SEARCH r USING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH r USING COVERING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
      ],
      "one field, sorted by another": [
        "SEARCH r USING INDEX kind_note__by_writer_number_d28be4a6 (workspace=? AND closed=? AND <expr>=?)",
        "SEARCH r USING COVERING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=?)",
      ],
      "text and a field": [
        "SCAN kind_note__text VIRTUAL TABLE INDEX 0:M2",
        "SEARCH r USING COVERING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=? AND rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN kind_note__text VIRTUAL TABLE INDEX 0:M2",
        "SEARCH r USING COVERING INDEX kind_note__by_writer_26e5e950 (workspace=? AND closed=? AND <expr>=? AND rowid=?)",
      ],
      "text, best first": [
        "SCAN kind_note__text VIRTUAL TABLE INDEX 0:M2",
        "SEARCH r USING COVERING INDEX kind_note__by_age (workspace=? AND closed=? AND rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN kind_note__text VIRTUAL TABLE INDEX 0:M2",
        "SEARCH r USING COVERING INDEX kind_note__by_age (workspace=? AND closed=? AND rowid=?)",
      ],
      "text, sorted": [
        "SCAN kind_note__text VIRTUAL TABLE INDEX 0:M2",
        "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SCAN kind_note__text VIRTUAL TABLE INDEX 0:M2",
        "SEARCH r USING COVERING INDEX kind_note__by_age (workspace=? AND closed=? AND rowid=?)",
      ],
      "what changed": [
        "SEARCH r USING INDEX kind_note__by_generation (workspace=? AND generation>?)",
      ],
    }
  `);
});
