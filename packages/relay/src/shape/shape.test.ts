import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { shapeOf } from "./shape-of.ts";

const shape = (text: string) => shapeOf([text]);
const times = (count: number, make: (at: number) => string, separator = "\n") =>
  Array.from({ length: count }, (_, at) => make(at)).join(separator);

describe("JSON", () => {
  const tools = Array.from({ length: 117 }, (_, at) => ({
    name: `tool_${at}`,
    inputSchema: { type: "object", properties: { a: {} } },
    state: at % 3 === 0 ? "open" : "closed",
    ...(at === 5 && { note: null }),
  }));

  test("is shown as paths with counts, and one item", () => {
    const { text, table } = shape(JSON.stringify({ total: 117, items: tools }, undefined, 2));
    expect(text).toMatchInlineSnapshot(`
      "JSON: {total: 117, items[117]: {name: string, inputSchema: {type: "object" 117×, properties: {a: {}}}, state: "closed" 78×|"open" 39×, note?: null}}
      $.items[0] = {name: "tool_0", inputSchema: {type: "object", properties: {…}}, state: "open"}"
    `);
    expect(table).toBe("t(name, inputSchema, state, note)");
    expect(shape(JSON.stringify(tools)).table).toBe(table);
    expect(shape(JSON.stringify({ names: tools.map(({ name }) => name) })).table).toBeUndefined();
    const wide = [Object.fromEntries(tools.map(({ name }) => [name, 1]))];
    expect(shape(JSON.stringify(wide)).table).toBe("t");
    expect(shape(JSON.stringify([{ "a name": 1 }])).table).toBe("t");
    const map = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    expect(shape(JSON.stringify({ map, few: [{ id: 1 }] })).table).toBe("t(key, name, inputSchema, state, note)");
  });

  test("in lines is shown as one item of all lines, and can be queried", () => {
    const lines = tools.map((tool) => JSON.stringify(tool)).join("\n");
    expect(shape(lines)).toMatchInlineSnapshot(`
      {
        "table": "t(name, inputSchema, state, note)",
        "text": "117 JSON lines: {name: string, inputSchema: {type: "object" 117×, properties: {a: {}}}, state: "closed" 78×|"open" 39×, note?: null}
      line 1 = {name: "tool_0", inputSchema: {type: "object", properties: {…}}, state: "open"}",
      }
    `);
  });

  test("with names as data is shown as a map", () => {
    const packages = Object.fromEntries(tools.map(({ name }) => [`node_modules/${name}`, { version: "1.0.0" }]));
    expect(shape(JSON.stringify({ packages })).text).toBe(
      'JSON: {packages: {117 fields like "node_modules/tool_0": {version: "1.0.0"}}}',
    );
  });

  test.each([
    ["cut off", '{"a": [1, 2, {"b": "c'],
    ["with a trailing comma", `[${"1,".repeat(50)}]`],
    ["with text behind it", `{"a": 1} and so on`],
    ["with brackets that do not match", "[1}"],
  ])("%s is shown by its first and last characters", (_, text) => {
    expect(shape(text).text).toContain(`text:\n1: ${text.slice(0, 15)}`);
  });
});

describe("a table", () => {
  test("of CSV is shown as columns with types, rows, and one row", () => {
    const rows = times(
      400,
      (at) => `${at},"Widget ""${at}"", blue",${at}.5,${at % 4 ? "yes" : "no"},2026-01-0${(at % 9) + 1},`,
    );
    expect(shape(`id,name,price,sold,day,note\r\n${rows.replaceAll("\n", "\r\n")}\r\n`)).toMatchInlineSnapshot(`
      {
        "table": "t(id, name, price, sold, day, note)",
        "text": "CSV, 400 rows, 6 columns: {id: number, name: string, price: number, sold: "yes" 300×|"no" 100×, day: string, note: null 400×}
      row 1 = {id: 0, name: "Widget \\"0\\", blue", price: 0.5, sold: "no", day: "2026-01-01", note: null}",
      }
    `);
  });

  test("of TSV is a table, and one with unequal rows or an open quote is none", () => {
    const rows = times(50, (at) => `${at}\tb ${at}`);
    expect(shape(`id\tname\n${rows}`)).toEqual({
      text: 'TSV, 50 rows, 2 columns: {id: number, name: string}\nrow 1 = {id: 0, name: "b 0"}',
      table: "t(id, name)",
    });
    expect(shape(`id\tname\n${rows}\n${times(20, (at) => `${at}`)}`).table).toBeUndefined();
    expect(shape(`id\tname\n${rows}\n1\t"open`).table).toBeUndefined();
  });
});

describe("another text", () => {
  test("is shown as its first and last lines with their numbers", () => {
    const lines = times(500, (at) => `2026-11-01 10:${at % 60} INFO [db] call ${at}`);
    expect(shape(`${lines}\n`).text).toMatchInlineSnapshot(`
      "text:
      1: 2026-11-01 10:0 INFO [db] call 0
      2: 2026-11-01 10:1 INFO [db] call 1
      …
      499: 2026-11-01 10:18 INFO [db] call 498
      500: 2026-11-01 10:19 INFO [db] call 499"
    `);
    expect(shape("one\ntwo\nthree").text).toBe("text:\n1: one\n2: two\n3: three");
    expect(shape("").text).toBe("");
  });

  test.each([
    ["lines", times(90, (at) => `src/${at}.ts:${at}: call(${"a, ".repeat(at % 7)}"b")`)],
    ["sentences", times(90, (at) => `A sentence without an end ${at}`)],
  ])("of %s has the columns of a query", (_, text) => {
    expect(shape(text).table).toBe("t(line, text)");
  });

  test.each([
    ["a Markdown table", times(90, (at) => `| ${at} | b |`)],
    ["quoted cells", times(90, (at) => `a,"${at}`)],
    ["JSON behind words", `Found:\n${JSON.stringify([{ a: "b" }])}`],
  ])("of %s, which a query may read otherwise, has none", (_, text) => {
    expect(shape(text).table).toBeUndefined();
  });

  test("of one line is shown as its beginning and its end", () => {
    expect(shape(`first ${"words ".repeat(2_000)}last`).text).toMatchInlineSnapshot(`
      "text:
      1: first words words words words words words words words words words words words words words words words words words words…
      it ends: s words words words words words words words words words words words words words words words words words words words last"
    `);
  });

  test("of long lines shows the beginning of fewer lines", () => {
    const lines = times(90, (at) => `${at} ${"漢字".repeat(200)}`);
    expect(shape(lines).text).toMatchInlineSnapshot(`
      "text:
      1: 0 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字…
      …
      90: 89 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢…"
    `);
  });
});

test("each of several blocks has its shape, in at most 120 tokens together", () => {
  const csv = `a,b\n${times(50, (at) => `${at},x`)}`;
  const { text, table } = shapeOf([JSON.stringify([1, 2, 3]), csv, "plain words"]);
  expect(text).toBe(
    "block 1: JSON: [3]: number\n$[0] = 1\nblock 2: CSV, 50 rows, 2 columns: {2 fields}\nblock 3: text:\n1: plain words",
  );
  expect(table).toBeUndefined();
  const many = shapeOf(Array.from({ length: 40 }, () => csv)).text;
  expect(many).toContain("and 36 more blocks");
  expect(encode(many).length).toBeLessThanOrEqual(120);
});

describe("an untrusted text", () => {
  const words = [
    "documentation",
    "issueList",
    "\u202Egnp",
    "漢字仮名",
    "a\u0000b\u200Bc\u2028d",
    "🙂👍",
    "0123456789",
    "{}[](),;:",
    "a-b_c.D9",
  ];
  const forms: readonly ((word: string) => string)[] = [
    (word) =>
      JSON.stringify(
        Array.from({ length: 60 }, (_, at) => ({ [`${word}${at % 50}`]: word.repeat(9), [word]: { [word]: word } })),
      ),
    (word) => JSON.stringify({ [word.repeat(500)]: word.repeat(500), b: [[word.repeat(99)]] }),
    (word) => times(60, (at) => JSON.stringify({ [word]: `${word}${at}` })),
    (word) => `${word.replaceAll(/[^\w]/g, "")}a,b\n${times(60, () => JSON.stringify(word.repeat(30)).concat(",x"))}`,
    (word) => times(60, () => `2026-11-01T10:00:00Z ERROR ${word.repeat(60)}`),
    (word) => times(60, (at) => `## ${word.repeat(9)}${at}\n\n${word}\n`),
    (word) => times(60, (at) => `function f${at}() {\n  return "${word}";\n}`),
    (word) => word.repeat(2_000),
  ];

  test.each(words)("of %j has at most 120 tokens, and no invisible character", (word) => {
    for (const [at, form] of forms.entries()) {
      const { text } = shape(form(word));
      expect(encode(text).length, `${at}: ${text}`).toBeLessThanOrEqual(120);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  });

  test.each([
    ["lists without an end", () => "[".repeat(20_000_000)],
    ["deep objects", () => '{"a":'.repeat(2_000_000) + "1" + "}".repeat(2_000_000)],
    ["escapes", () => `["${"\\".repeat(20_000_001)}`],
    ["new fields", () => `[${times(1_000_000, (at) => `{"k${at}":1}`, ",")}]`],
    ["quotes", () => `a,b\n${'"'.repeat(20_000_001)}`],
    ["empty lines", () => "\n".repeat(20_000_000)],
    ["spaces and brackets", () => times(60_000, () => `${"a ".repeat(150)}(`)],
    ["timestamps", () => times(500_000, () => "2026-11-01T10:00:00Z INFO done")],
  ])("of %s takes time and memory in proportion", (_, make) => {
    const text = make();
    const before = process.memoryUsage().heapUsed;
    const start = process.cpuUsage();
    expect(encode(shape(text).text).length).toBeLessThanOrEqual(120);
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(5_000_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150_000_000);
  });
});
