import { describe, expect, test } from "vitest";
import { queryClient } from "./query.fixture.ts";

const people = [
  { id: 1, name: "Ann", tags: ["a", "b"], address: { city: "Ulm" }, big: 1, active: true },
  { id: 2, name: 'Bob "B", Jr.', tags: [], address: { city: "Rom" }, big: null, active: false },
];

describe("a query over JSON", () => {
  test("reads a list with its types, and says how many rows there are", async () => {
    const { query } = await queryClient();
    const answer = await query(JSON.stringify(people), "SELECT id, name, active, typeof(id), typeof(tags) FROM t");
    expect(answer).toBe(
      'id,name,active,typeof(id),typeof(tags)\n1,Ann,1,integer,text\n2,"Bob ""B"", Jr.",0,integer,text\n[2 rows; t: 2 rows of $]',
    );
  });

  test("opens nested values with json_extract and json_each", async () => {
    const { query } = await queryClient();
    const text = JSON.stringify(people);
    expect(await query(text, "SELECT json_extract(address, '$.city') AS city FROM t ORDER BY 1")).toContain("Rom\nUlm");
    expect(await query(text, "SELECT name, tag.value FROM t, json_each(tags) tag")).toContain("Ann,a\nAnn,b\n[2 rows");
  });

  test("takes the largest list of an object, and names the others", async () => {
    const { query } = await queryClient();
    const text = JSON.stringify({ meta: { pages: [1, 2, 3] }, data: { items: people } });
    expect(await query(text, "SELECT count(*) AS n FROM t")).toBe(
      "n\n2\n[1 row; t: 2 rows of $.data.items; other lists: $.meta.pages (3)]",
    );
    expect(await query(text, "SELECT sum(value) AS n FROM t", "#json=$.meta.pages")).toBe(
      "n\n6\n[1 row; t: 3 rows of $.meta.pages]",
    );
    expect(await query(text, "SELECT city FROM t", "#json=$.data.items[*].address")).toContain("Ulm\nRom\n[2 rows");
  });

  test("takes an object of objects as rows with a key", async () => {
    const { query } = await queryClient();
    const packages = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, { version: `1.${at}` }]));
    expect(await query(JSON.stringify({ packages }), "SELECT key FROM t WHERE version = '1.7'")).toBe(
      "key\np7\n[1 row; t: 9 rows of $.packages]",
    );
  });

  test("keeps numbers beyond 2^53 as text, and the others as numbers", async () => {
    const { query } = await queryClient();
    const text = '[{"id": 9007199254740993, "n": 9007199254740991, "r": 1.5, "e": 1e3}]';
    expect(await query(text, "SELECT id, typeof(id), n, typeof(n), typeof(r), typeof(e) FROM t")).toContain(
      "9007199254740993,text,9007199254740991,integer,real,integer",
    );
  });

  test("reads JSON after a line of words and in a code block", async () => {
    const { query, read, keep } = await queryClient();
    const words = `Contents of http://localhost/people:\n${JSON.stringify(people, null, 2)}\n`;
    expect(await query(words, "SELECT count(*) FROM t")).toContain("\n2\n");
    const block = `\`\`\`json\n${JSON.stringify({ people })}\n\`\`\`\n`;
    expect(await query(block, "SELECT max(id) FROM t")).toContain("\n2\n");
    const picked = { handle: await keep(words), mode: "pick", pattern: "$[*].name" };
    expect(await read(picked)).toBe('"Ann"\n"Bob \\"B\\", Jr."');
  });

  test("without a pattern shows the columns and three rows", async () => {
    const { query } = await queryClient();
    const text = JSON.stringify(Array.from({ length: 9 }, (_, at) => ({ at, name: `n${at}` })));
    expect(await query(text)).toBe("at,name\n0,n0\n1,n1\n2,n2\n[3 rows; t: 9 rows of $]");
  });

  test("needs no mode where the pattern is SQL or a JSONPath", async () => {
    const { keep, read } = await queryClient();
    const handle = await keep(JSON.stringify({ people }));
    expect(await read({ handle, pattern: "select count(*) n from t" })).toContain("n\n2\n");
    expect(await read({ handle: `${handle}#json=$.people[0].tags`, pattern: "select count(*) n from t" })).toContain(
      "2 rows of $.people[0].tags",
    );
    expect(await read({ handle, pattern: "$.people[0].name" })).toBe("Ann");
    expect(await read({ handle: await keep("one\ntwo"), pattern: "tw" })).toBe("2: two");
  });
});

describe("a query over text", () => {
  test("reads JSON lines, and counts lines that are not JSON", async () => {
    const { query } = await queryClient();
    const lines = ['{"level":"info","n":1}', '{"level":"error","n":2}', "Killed", '{"level":"error","n":3}', ""];
    expect(await query(lines.join("\n"), "SELECT level, count(*) AS n FROM t GROUP BY 1 ORDER BY 1")).toBe(
      "level,n\nerror,2\ninfo,1\n[2 rows; t: 3 rows of JSON lines; 1 line that is not JSON left out]",
    );
  });

  test.each([
    ["CSV", 'id,name,zip\n1,"Ann, B",01234\n2,Bob,99999\n', ","],
    ["TSV", "id\tname\tzip\n1\tAnn, B\t01234\n2\tBob\t99999\n", "\t"],
    ["CSV with ;", "\uFEFFid;name;zip\r\n1;Ann, B;01234\r\n2;Bob;99999\r\n", ";"],
  ])("reads %s: columns of numbers as numbers, others as text", async (type, text) => {
    const { query } = await queryClient();
    expect(await query(text, "SELECT name, id + 1 AS next, typeof(id) AS a, zip, typeof(zip) AS b FROM t")).toBe(
      `name,next,a,zip,b\n"Ann, B",2,integer,01234,text\nBob,3,integer,99999,text\n[2 rows; t: 2 rows of ${type}]`,
    );
  });

  test("reads a log as lines, with REGEXP in RE2 syntax", async () => {
    const { query } = await queryClient();
    const log = Array.from(
      { length: 300 },
      (_, at) => `2026-01-02 10:00:00,${at} ${at % 7 ? "INFO" : "ERROR"} step ${at}`,
    );
    expect(
      await query(log.join("\n"), "SELECT count(*) AS n, max(line) AS last FROM t WHERE text REGEXP 'ERR..'"),
    ).toBe("n,last\n43,295\n[1 row; t: 300 lines of text]");
  });

  test("reads a part of it, as the range of the handle says", async () => {
    const { query } = await queryClient();
    const text = `# made on Monday\n# by a program\na,b\n1,2\n3,4\n`;
    expect(await query(text, "SELECT sum(b) AS n FROM t", "#lines=3-")).toBe("n\n6\n[1 row; t: 2 rows of CSV]");
  });
});

describe("an answer of a query", () => {
  test("is one page; it says how many rows there are, and how to go on", async () => {
    const { keep, read } = await queryClient();
    const handle = await keep(JSON.stringify(Array.from({ length: 3_000 }, (_, id) => ({ id, text: "x".repeat(50) }))));
    const first = await read({ handle, mode: "query", pattern: "SELECT * FROM t" });
    expect(Buffer.byteLength(first)).toBeLessThan(8_200);
    const [, end] = /\[rows 0 to (\d+) of 3000; next: start \1; t: 3000 rows of \$\]$/.exec(first) ?? [];
    const next = await read({ handle, mode: "query", pattern: "SELECT * FROM t", start: Number(end), count: 2 });
    expect(next).toContain(`id,text\n${end},x`);
    expect(next.split("\n")).toHaveLength(4);
    expect(await read({ handle, mode: "query", pattern: "SELECT id FROM t", start: 3_000 })).toContain("no more row");
  });

  test("cuts long texts and shows bytes, empty texts and nothing apart", async () => {
    const { query } = await queryClient();
    const text = JSON.stringify([{ long: "é".repeat(50_000) }]);
    const cut = await query(text, "SELECT long FROM t");
    expect(Buffer.byteLength(cut)).toBeLessThan(8_200);
    expect(cut).toContain("… (50000 characters)");
    expect(await query(text, "SELECT x'00ff' a, '' b, NULL c, 1 a")).toContain("a,b,c,a\nx'00ff',\"\",,1\n");
  });
});

describe("an error of a query", () => {
  const text = JSON.stringify(people);

  test.each([
    ["SELECT nme FROM t", 'no such column "nme" (did you mean "name"?)'],
    ["SELECT address.city FROM t", "no such column \"address.city\" (did you mean address->>'$.city'?)"],
    ["SELECT name FROM people", 'no such table "people": the table is t'],
    [
      'SELECT id FROM t WHERE name = "Zoe Young"',
      "no such column \"Zoe Young\" (a text has single quotes: 'Zoe Young')",
    ],
    ["SELECT name FORM t", 'near "t": syntax error'],
    ["SELECT name FROM t WHERE", "incomplete input"],
    ["SELECT name FROM t WHERE name REGEXP '(?=a)'", "error parsing regexp"],
  ])("of %s names the columns", async (sql, problem) => {
    const { query } = await queryClient();
    const answer = await query(text, sql);
    expect(answer).toContain(problem);
    expect(answer).toContain("Columns of t (2 rows of $): id, name, tags, address, big, active");
  });
});
