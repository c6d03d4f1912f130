import { escaped, line, query, type Question } from "./result.ts";

/** Five questions about a log whose lines name a level in brackets. */
export function logQuestions(text: string): Question[] {
  const lines = linesOf(text);
  const isError = (one: string) => one.includes("[error]");
  const first = lines.findIndex(isError);
  const levels = new Set(lines.map((one) => /\[([a-z]+)\]/.exec(one)?.[1] ?? "none"));
  return [
    { ask: "How many lines?", expected: new RegExp(`\\b${lines.length} lines`), read: { mode: "length" } },
    {
      ask: "How many errors?",
      expected: line(lines.filter(isError).length),
      read: query("SELECT count(*) FROM t WHERE text LIKE '%[error]%'"),
    },
    {
      ask: "Which is the first error, and in which line?",
      expected: line(`${first + 1}: ${lines[first]}`),
      read: { mode: "grep", pattern: String.raw`\[error\]`, count: 1 },
    },
    { ask: "What is the last line?", expected: line(lines.at(-1) ?? ""), read: { mode: "lines", start: -1 } },
    {
      ask: "Which levels are there?",
      expected: new RegExp(
        [...levels]
          .sort((one, other) => one.localeCompare(other))
          .map((one) => `^${one}$`)
          .join("[^]*"),
        "m",
      ),
      read: query(
        "SELECT DISTINCT substr(rest, 1, instr(rest, ']') - 1) FROM (SELECT substr(text, instr(text, '] [') + 3) AS rest FROM t) ORDER BY 1",
      ),
    },
  ];
}

/** Five questions about TypeScript with exported functions. */
export function codeQuestions(text: string): Question[] {
  const lines = linesOf(text);
  const declared = /^export function (\w+)/;
  const functions = lines.flatMap((one, at) =>
    declared.test(one) ? [{ at, name: declared.exec(one)?.[1] ?? "" }] : [],
  );
  const middle = functions[Math.floor(functions.length / 2)] ?? { at: 0, name: "" };
  const imports = lines.filter((one) => one.startsWith("import "));
  return [
    { ask: "How many lines?", expected: new RegExp(`\\b${lines.length} lines`), read: { mode: "length" } },
    {
      ask: "How many exported functions?",
      expected: line(functions.length),
      read: query("SELECT count(*) FROM t WHERE text REGEXP '^export function '"),
    },
    {
      ask: `Where is ${middle.name} declared?`,
      expected: line(`${middle.at + 1}: ${lines[middle.at]}`),
      read: { mode: "grep", pattern: String.raw`^export function ${middle.name}\b` },
    },
    {
      ask: `What follows the declaration of ${middle.name}?`,
      expected: new RegExp(`^${middle.at + 3}- ${escaped(lines[middle.at + 2] ?? "")}$`, "m"),
      read: { mode: "grep", pattern: String.raw`^export function ${middle.name}\b`, window: 3 },
    },
    {
      ask: "What is imported?",
      expected: new RegExp(imports.slice(0, 5).map(escaped).join("[^]*")),
      read: { mode: "grep", pattern: "^import " },
    },
  ];
}

/** Five questions about Markdown with headings of two levels and tables. */
export function markdownQuestions(text: string): Question[] {
  const lines = linesOf(text);
  const headings = lines.flatMap((one, at) => (one.startsWith("## ") ? [at] : []));
  const middle = headings[Math.floor(headings.length / 2)] ?? 0;
  return [
    { ask: "How many lines?", expected: new RegExp(`\\b${lines.length} lines`), read: { mode: "length" } },
    {
      ask: "Which sections are there?",
      expected: new RegExp(headings.map((at) => escaped(lines[at] ?? "")).join("[^]*")),
      read: { mode: "grep", pattern: "^## " },
    },
    {
      ask: `Where does "${lines[middle]}" begin?`,
      expected: line(`${middle + 1}: ${lines[middle]}`),
      read: { mode: "grep", pattern: `^${escaped(lines[middle] ?? "")}$` },
    },
    {
      ask: "How many lines of tables?",
      expected: line(lines.filter((one) => one.startsWith("|")).length),
      read: query("SELECT count(*) FROM t WHERE text LIKE '|%'"),
    },
    {
      ask: "What is the last line?",
      expected: new RegExp(escaped((lines.at(-1) ?? "").slice(0, 200))),
      read: { mode: "lines", start: -1 },
    },
  ];
}

function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
