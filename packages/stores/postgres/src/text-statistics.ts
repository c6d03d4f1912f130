/** How many records have each word of a text query. */
import type { KindLayout } from "@toolpacks/store";
import { maxRare, recordTable, type TextStatistics } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection, SqlRow } from "./database.ts";
import { postgresDialect, textQuery } from "./postgres-dialect.ts";

/** Growth of a table, in pages beyond twice its size, after which its statistics are made anew. Smaller tables need none. */
const outdatedPages = 50;

/** The number of records with each word: of common words as PostgreSQL's own statistics of the table have it, of others counted. */
export async function textStatistics(
  connection: Connection,
  kind: KindLayout,
  words: readonly string[],
): Promise<TextStatistics> {
  const table = recordTable(kind.name);
  const first = await readStatistics(connection, table, words);
  const known = isOutdated(first) ? await renewStatistics(connection, table, words) : first;
  const estimated = Number(known[0]?.["records"] ?? 0);
  const shares = new Map(known.map(({ word, share }) => [word, Number(share)]));
  const uncounted = words.filter((word) => !shares.has(word));
  const counts = uncounted.map(
    (word, at) =>
      sql`(SELECT count(*) FROM (SELECT FROM ${sql.table(table)} WHERE words @@ ${textQuery([word], "all")}::tsquery LIMIT ${maxRare + 1}) AS found) AS ${sql.ref(`c${at}`)}`,
  );
  const [counted] =
    counts.length === 0 ? [] : await connection.run(postgresDialect.compile(sql`SELECT ${sql.join(counts)}`));
  const all = words.map((word) => {
    const at = uncounted.indexOf(word);
    const count = at < 0 ? Math.round((shares.get(word) ?? 0) * estimated) : Number(counted?.[`c${at}`] ?? 0);
    return { word, count };
  });
  return { counts: all, records: Math.max(estimated, ...all.map(({ count }) => count)) };
}

/** What PostgreSQL knows of a table: a row for each common word, or one without a word. */
async function readStatistics(connection: Connection, table: string, words: readonly string[]) {
  return connection.query(
    `SELECT c.reltuples AS records, c.relpages AS known_pages,
       pg_relation_size(c.oid) / current_setting('block_size')::bigint AS pages, s.word, s.share
     FROM pg_class AS c LEFT JOIN LATERAL (
       SELECT common.word, common.share
       FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS common (word, share)
       WHERE schemaname = current_schema() AND tablename = $1 AND attname = 'words' AND common.word = ANY ($2::text[])
     ) AS s ON true
     WHERE c.oid = $1::text::regclass`,
    [table, words],
  );
}

function isOutdated([row]: readonly SqlRow[]): boolean {
  return Number(row?.["pages"] ?? 0) > 2 * Number(row?.["known_pages"] ?? 0) + outdatedPages;
}

/** After an import, autovacuum comes within a minute, or never where it is off. Until then common words would look rare. */
async function renewStatistics(connection: Connection, table: string, words: readonly string[]) {
  await connection.query(`ANALYZE ${table} (words)`);
  return readStatistics(connection, table, words);
}
