import { escaped, line, query, type Question } from "./result.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface RecordsOptions {
  /** A field of text with few values. */
  readonly group: string;
  /** A field of numbers. */
  readonly number: string;
  /** A field of text that names a record, and another field of text. */
  readonly key: string;
  readonly other: string;
  /** The SQL of a field, such as `properties->>'mag'`. Default: the quoted name. */
  readonly column?: (field: string) => string;
  readonly range?: string;
}

/** Five questions about records: their number, the largest group, a maximum, a field of one record, and different values. */
export function recordQuestions(records: readonly Fields[], options: RecordsOptions): Question[] {
  const { group, number, key, other, range, column = (field) => `"${field}"` } = options;
  const cell = (value: unknown) => escaped(typeof value === "string" ? value.replaceAll('"', '""') : "");
  const sizes = new Map<unknown, number>();
  for (const one of records) sizes.set(one[group] ?? null, (sizes.get(one[group] ?? null) ?? 0) + 1);
  const [value, count] = [...sizes].sort((one, next) => next[1] - one[1])[0] ?? [];
  const numbers = records.map((one) => one[number]).filter((one) => typeof one === "number");
  const found = records.slice(Math.floor(records.length / 2)).find((one) => one[key] && one[other]) ?? {};
  const literal = `'${String(found[key]).replaceAll("'", "''")}'`;
  const questions: Question[] = [
    { ask: "How many records?", expected: line(records.length), read: query("SELECT count(*) FROM t") },
    {
      ask: `Which ${group} is the most frequent, and how often?`,
      expected: new RegExp(`^"?${cell(value)}"?,${count}$`, "m"),
      read: query(`SELECT ${column(group)}, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 1`),
    },
    {
      ask: `What is the largest ${number}?`,
      expected: new RegExp(`^${escaped(String(numbers.reduce((most, one) => Math.max(most, one))))}(?:\\.0)?$`, "m"),
      read: query(`SELECT max(${column(number)}) FROM t`),
    },
    {
      ask: `What is ${other} of ${key} ${literal}?`,
      expected: new RegExp(`^"?${cell(found[other])}"?$`, "m"),
      read: query(`SELECT ${column(other)} FROM t WHERE ${column(key)} = ${literal}`),
    },
    {
      ask: `How many different ${group}?`,
      expected: line([...sizes.keys()].filter((one) => one !== null).length),
      read: query(`SELECT count(DISTINCT ${column(group)}) FROM t`),
    },
  ];
  return range === undefined ? questions : questions.map((one) => ({ ...one, range }));
}
