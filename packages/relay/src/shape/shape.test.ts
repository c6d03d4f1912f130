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
    const { text, isTable } = shape(JSON.stringify({ total: 117, items: tools }, undefined, 2));
    expect(text).toMatchInlineSnapshot(`
      "JSON: {total: 117, items[117]: {name: string, inputSchema: {type: "object" 117×, properties: {a: {}}}, state: "closed" 78×|"open" 39×, note?: null}}
      $.items[0] = {name: "tool_0", inputSchema: {type: "object", properties: {…}}, state: "open"}"
    `);
    expect(isTable).toBe(true);
    expect(shape(JSON.stringify(tools)).isTable).toBe(true);
    expect(shape(JSON.stringify({ names: tools.map(({ name }) => name) })).isTable).toBe(false);
  });

  test("in lines is shown as one item of all lines, and can be queried", () => {
    const lines = tools.map((tool) => JSON.stringify(tool)).join("\n");
    expect(shape(lines)).toMatchInlineSnapshot(`
      {
        "isTable": true,
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
  ])("%s is shown by its first line", (_, text) => {
    expect(shape(text).text).toBe(`text that begins:\n${text}`);
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
        "isTable": true,
        "text": "CSV, 400 rows, 6 columns: id integer, name text, price number, sold yes 300×|no 100×, day date, note empty?
      row 1: 0,"Widget "0", blue",0.5,no,2026-01-01,",
      }
    `);
  });

  test("of TSV is a table, and one with unequal rows or an open quote is none", () => {
    const rows = times(50, (at) => `${at}\tb ${at}`);
    expect(shape(`id\tname\n${rows}`)).toEqual({
      text: "TSV, 50 rows, 2 columns: id integer, name text\nrow 1: 0\tb 0".replace("\t", "\\u0009"),
      isTable: true,
    });
    expect(shape(`id\tname\n${rows}\n${times(20, (at) => `${at}`)}`).isTable).toBeUndefined();
    expect(shape(`id\tname\n${rows}\n1\t"open`).isTable).toBeUndefined();
  });
});

describe("a log", () => {
  test("is shown as levels with counts, times, and the first error line", () => {
    const lines = times(500, (at) => {
      const level = at === 320 || at === 330 ? "ERROR" : at % 10 === 0 ? "WARN" : "INFO";
      const failure = level === "ERROR" ? "\n    at connect (db.ts:1)\nCaused by: no route" : "";
      return `2026-11-01 10:${String(at % 60).padStart(2, "0")}:00,123 ${level} [db] call ${at}${failure}`;
    });
    expect(shape(lines).text).toMatchInlineSnapshot(`
      "log, 504 lines, 2026-11-01 10:00:00,123 to 2026-11-01 10:19:00,123: INFO 450, WARN 48, ERROR 2
      first error, line 321: 2026-11-01 10:20:00,123 ERROR [db] call 320"
    `);
  });

  test("of a web server names the first line with a failure", () => {
    const lines = times(
      50,
      (at) => `10.0.0.1 - - [01/Nov/2026:10:00:${10 + at} +0000] "GET /${at} HTTP/1.1" ${at === 33 ? 502 : 200} 12`,
    );
    expect(shape(lines).text).toContain("01/Nov/2026:10:00:10 +0000 to 01/Nov/2026:10:00:59 +0000");
    expect(shape(lines).text).toContain(
      'first line with a failure, line 34: 10.0.0.1 - - [01/Nov/2026:10:00:43 +0000] "GET /33',
    );
  });
});

describe("code", () => {
  test.each([
    [
      "TypeScript",
      'import type { A } from "./a.ts";\n\nexport interface Boxer {\n  readonly a: string;\n}\n\nexport class Box {\n  async open(name: string): Promise<void> {\n    return;\n  }\n}\nconst limit = 4;\n',
      "interface Boxer 3, class Box 7, const limit 12, open 8",
    ],
    [
      "Python",
      "import os\n\nclass Cache:\n    def get(self, key):\n        return self.data[key]\n\ndef main():\n    if True:\n        pass\n",
      "class Cache 3, def main 7, def get 4",
    ],
    [
      "Go",
      'package main\n\nimport "fmt"\n\ntype Box struct {\n\tname string\n}\n\nfunc (b *Box) Open() error {\n\treturn nil\n}\n\nfunc main() {\n}\n',
      "type Box 5, func Open 9, func main 13",
    ],
    [
      "Rust",
      "use std::io;\n\npub struct Box {\n    name: String,\n}\n\nimpl Box {\n    pub fn open(&self) {}\n}\nfn main() {\n    let x = 1;\n}\n",
      "struct Box 3, impl Box 7, fn main 10, fn open 8",
    ],
    [
      "SQL",
      "CREATE TABLE a (\n  id INTEGER PRIMARY KEY,\n  b TEXT\n);\nCREATE INDEX a_b ON a (b);\nINSERT INTO a VALUES (1, 'x');\n",
      "table a 1, index a_b 5",
    ],
  ])("in %s is shown as its symbols", (language, text, symbols) => {
    const lines = text.split("\n").length;
    expect(shape(text).text).toBe(`${language}, ${lines} lines; symbols and their lines: ${symbols}`);
  });
});

describe("prose", () => {
  test("is shown as its headings with their lines, without those in code", () => {
    const text = `# Guide\n\nWords, and more words.\n\nInstall it\n----------\n\n\`\`\`sh\n# no heading\n\`\`\`\n\n### Details\n\n${"A sentence. ".repeat(20)}\n`;
    expect(shape(text).text).toBe(
      "prose, 15 lines; headings and their lines: # Guide 1, ## Install it 5, ### Details 12",
    );
  });

  test("with many headings is shown as the highest levels", () => {
    const text = times(6, (at) => `# Part ${at}\n\n${times(40, (of) => `## Section ${at}.${of}\n\nWords.\n`)}`);
    expect(shape(text).text).toContain("# Part 0 1, # Part 1 163, # Part 2");
    expect(shape(text).text).not.toContain("##");
  });

  test("of HTML has the text of its headings, and comments of several lines are no headings", () => {
    const page = '<html>\n<h1 class="a"><a href="#x">The <b>book</b></a></h1>\n<p>Words</p>\n<h2>Part</h2>\n</html>\n';
    expect(shape(page).text).toContain("headings and their lines: # The book 2, ## Part 4");
    expect(shape("# A comment\n# of lines\n# that go on\na b\n\n# More\nc d\n").text).toContain(
      "# A comment 1, # More 6",
    );
  });

  test("of a plain document has numbered and capital headings", () => {
    const text = "PREFACE TO IT\n\nSome words.\n\n1. Introduction\n\nMore words.\n\n1.2 Terms\n\nWords.\n";
    expect(shape(text).text).toContain("## PREFACE TO IT 1, ## 1. Introduction 5, ### 1.2 Terms 9");
  });
});

test("each of several blocks has its shape, in at most 120 tokens together", () => {
  const csv = `a,b\n${times(50, (at) => `${at},x`)}`;
  const { text, isTable } = shapeOf([JSON.stringify([1, 2, 3]), csv, "plain words"]);
  expect(text).toBe(
    "block 1: JSON: [3]: number\n$[0] = 1\nblock 2: CSV, 50 rows, 2 columns: a integer, b x 50×\nrow 1: 0,x\nblock 3: text that begins:\nplain words",
  );
  expect(isTable).toBeUndefined();
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
