/** What the full-text index of a kind tells about the words of a query. */
import type { KindLayout } from "@toolpacks/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { matchExpression, textTable } from "./sqlite-dialect.ts";

/** Number of the oldest and of the newest records with a word from which their number is estimated. */
const sampleSize = 2_000;

/** The number of records, their average length in words, and the number of records with each word. Numbers above 2,000 are estimates. */
export function textStatistics(connection: Connection, kind: KindLayout, words: readonly string[]) {
  const [records, table] = [recordTable(kind.name), textTable(kind.name)];
  // The row 1 of FTS5's table `data`: the number of records that were ever indexed, and the number of words of each column.
  const known = connection.one(
    `SELECT (SELECT min(seq) FROM ${records}) AS first, (SELECT max(seq) FROM ${records}) AS last,
       (SELECT block FROM ${table}_data WHERE id = 1) AS totals`,
  );
  const [first, last] = [Number(known?.["first"] ?? 0), Number(known?.["last"] ?? 0)];
  const [indexed = 0, ...lengths] = variableLengthNumbers(known?.["totals"]);
  const found = (order: string) =>
    `FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid ${order} LIMIT ${sampleSize})`;
  const counts = words.map((word) => {
    const expression = matchExpression([word], "all");
    const oldest = connection.one(`SELECT count(*) AS count, max(age) AS last ${found("ASC")}`, expression);
    const count = Number(oldest?.["count"]);
    if (count < sampleSize) return { word, count };
    const newest = Number(connection.one(`SELECT min(age) AS first ${found("DESC")}`, expression)?.["first"]);
    const share = (2 * sampleSize) / (Number(oldest?.["last"]) - first + last - newest + 2);
    return { word, count: Math.max(count, Math.round(share * (last - first + 1))) };
  });
  return {
    counts,
    records: Math.max(Math.min(indexed, last - first + 1), ...counts.map(({ count }) => count)),
    averageLength: lengths.reduce((sum, length) => sum + length, 0) / indexed || 1,
  };
}

/** Parses SQLite's varints: seven bits per byte, the highest first, and a bit that says whether another byte follows. */
function variableLengthNumbers(block: unknown): readonly number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of block instanceof Uint8Array ? block : []) {
    number = number * 128 + (byte & 127);
    if (byte >= 128) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}
