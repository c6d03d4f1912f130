import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { queryClient } from "./query.fixture.ts";

const small = JSON.stringify([{ a: 1 }, { a: 2 }]);
const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";

test.concurrent(
  "a query without end is stopped after 5 s, and the server answers meanwhile",
  { timeout: 120_000 },
  async () => {
    const { client, query } = await queryClient();
    const answer = query(small, `${endless} SELECT count(*) FROM c`);
    await client.ping();
    expect(await answer).toContain("too_large: query: the query took longer than 5 s and was stopped");
    expect(await query(small, "SELECT sum(a) AS n FROM t")).toContain("n\n3\n");
  },
);

test("rows without end fill one page, and are counted to a limit", async () => {
  const { query } = await queryClient();
  const answer = await query(small, `${endless} SELECT x FROM c`);
  expect(answer).toMatch(/\[rows 0 to \d+ of more than \d{6}; next: start \d+; t: 2 rows of \$\]$/);
  expect(answer.length).toBeLessThan(8_300);
});

test.concurrent.for([
  ["a large value", "SELECT length(zeroblob(900000000))"],
  [
    "a long text",
    `${endless}, d(x) AS (SELECT x FROM c LIMIT 100000000) SELECT length(group_concat(printf('%.10000c', 'x'))) FROM d`,
  ],
  [
    "sorting a cross join",
    `${endless}, d(x) AS (SELECT x FROM c LIMIT 3000) SELECT hex(randomblob(2000)) AS h FROM d, d AS e ORDER BY h`,
  ],
])(
  "%s ends with an error about its size or time, and the server goes on",
  { timeout: 120_000 },
  async ([, sql], { expect, onTestFinished }) => {
    const { query } = await queryClient(onTestFinished);
    expect(await query(small, sql)).toMatch(
      /^too_large: query: (?:stopped, because|string or blob too big|the query took longer)/,
    );
    expect(await query(small, "SELECT sum(a) AS n FROM t")).toContain("n\n3\n");
  },
);

describe("a statement that does not only read", () => {
  test.each([
    "ATTACH 'CANARY' AS x",
    "VACUUM INTO 'CANARY'",
    "PRAGMA query_only = OFF",
    "INSERT INTO t VALUES (1)",
    "WITH x AS (SELECT 1) INSERT INTO t SELECT 1",
    "WITH x AS (SELECT 1) DELETE FROM t",
    "CREATE TABLE u (a)",
    "/* SELECT */ DROP TABLE t",
    "-- SELECT\nATTACH 'CANARY' AS x",
    "SELECT 1; ATTACH 'CANARY' AS x",
    "SELECT 1; VACUUM INTO 'CANARY'",
    "SELECT load_extension('CANARY')",
    "SELECT writefile('CANARY', 'x')",
    "SELECT readfile('CANARY')",
    "SELECT * FROM pragma_database_list",
    "EXPLAIN SELECT 1",
    "",
    ";",
  ])("%s is refused, and makes no file", async (sql) => {
    const { query } = await queryClient();
    const folder = await mkdtemp(path.join(tmpdir(), "relay-canary-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const canary = path.join(folder, "canary.db");
    expect(await query(small, sql.replaceAll("CANARY", canary))).toMatch(/^invalid_input: query: /);
    expect(existsSync(canary)).toBe(false);
  });

  test("is not seen in a comment or text of one that does", async () => {
    const { query } = await queryClient();
    expect(await query(small, "/* ATTACH */ SELECT 'x; DROP TABLE t' AS a; -- end\n;")).toContain(
      "a\nx; DROP TABLE t\n",
    );
  });
});

describe("a hostile value", () => {
  test("with 10,000 columns has its rows as JSON", async () => {
    const { query } = await queryClient();
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, at]));
    const answer = await query(JSON.stringify([wide, wide]), "SELECT sum(value->>'key9999') AS n FROM t");
    expect(answer).toContain(
      "n\n19998\n[1 row; t: 2 rows of $; value is JSON, because the rows have more than 1000 different keys]",
    );
    const names = Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(",");
    expect(await query(`${names}\n${names}\n`, "SELECT value->>'c77' AS n FROM t")).toContain("n\nc77\n");
  });

  test("with odd names has unique columns", async () => {
    const { query } = await queryClient();
    const odd = '[{"a":1,"A":2,"":3,"__proto__":4,"x\\"y":5,"a\\nb":6,"\\u0000":7,"constructor":8,"rowid":9}]';
    expect(await query(odd)).toContain(
      'a,A_2,column_3,__proto__,"x""y",a b,column_7,constructor,rowid\n1,2,3,4,5,6,7,8,9\n',
    );
    expect(await query("n,n,,N\n1,2,3,4\n5,6,7,8\n")).toContain("n,n_2,column_3,N_3\n1,2,3,4\n5,6,7,8\n");
  });

  test("nested a million levels deep ends with an error or as text", async () => {
    const { query } = await queryClient();
    const deep = `[${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}]`;
    expect(await query(deep, "SELECT count(*) FROM t")).toMatch(/nested too deep|count\(\*\)\n1\n/);
  });

  test("with a wrong quote is read as lines, and says why", async () => {
    const { query } = await queryClient();
    const csv = `a,b\n1,x\n2,"never closed\n3,y\n`;
    expect(await query(csv, "SELECT count(*) AS n FROM t")).toMatch(
      /n\n4\n\[1 row; t: 4 lines of text; not CSV: a quote is not closed/,
    );
    expect(await query(csv, "SELECT b FROM t")).toMatch(
      /no such column "b"\nColumns of t \(4 lines of text; not CSV: .*\): line, text/,
    );
  });

  test(
    "of 20 MB is queried, or its error names a limit; more than 64 MiB is refused",
    { timeout: 180_000 },
    async () => {
      const { keep, query, read } = await queryClient();
      const row = (id: number) => JSON.stringify({ id, name: `name ${id}`, text: "x".repeat(270) });
      const rows = Array.from({ length: 60_000 }, (_, id) => row(id));
      const answer = await query(`[${rows.join(",\n")}]`, "SELECT count(*) AS n FROM t");
      expect(answer).toMatch(/n\n60000\n|took longer than 20 s/);
      const handle = await keep("x".repeat(65 * 1024 * 1024));
      expect(await read({ handle, mode: "query" })).toContain("more than the 67108864 that are queried");
    },
  );
});

test(
  "many queries at once wait for each other, beyond a limit they are refused, and a cancelled one ends",
  { timeout: 180_000 },
  async () => {
    const { keep, read } = await queryClient();
    const handle = await keep(small);
    const slow = { handle, mode: "query", pattern: `${endless} SELECT count(*) FROM c` };
    const cancelling = new AbortController();
    const cancelled = [1, 2].map(() => read(slow, cancelling.signal).catch(() => "cancelled"));
    await wait(500);
    let refused = 0;
    const others = Array.from({ length: 20 }, async (_, at) => {
      const answer = await read({ handle, mode: "query", pattern: `SELECT ${at} AS n` });
      if (answer.includes("unavailable: query: 2 queries run and 16 wait")) refused += 1;
      if (refused === 4) cancelling.abort();
      return answer;
    });
    const answers = await Promise.all(others);
    expect(await Promise.all(cancelled)).toEqual(["cancelled", "cancelled"]);
    expect(answers.filter((one) => one.startsWith("n\n"))).toHaveLength(16);
    expect(refused).toBe(4);
  },
);
