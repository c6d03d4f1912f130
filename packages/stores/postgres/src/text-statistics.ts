/** How many records have each word of a text query. */
import type { KindLayout } from "@toolpacks/store";
import { recordTable, type TextStatistics } from "@toolpacks/store-sql";
import type { Connection, SqlRow } from "./database.ts";
import { textQuery } from "./postgres-dialect.ts";

/** Growth of a table, in pages beyond twice its size, after which its statistics are made anew. Smaller tables need none. */
const outdatedPages = 50;
/** Number of the oldest records with a word from which their number is estimated. */
const sampleSize = 200;

/** The number of records with each word: of common words as PostgreSQL's own statistics of the table have it, of others from the oldest records. */
export async function textStatistics(
  connection: Connection,
  kind: KindLayout,
  words: readonly string[],
): Promise<TextStatistics> {
  const table = recordTable(kind.name);
  let rows = await readStatistics(connection, table, words);
  if (isOutdated(rows)) {
    // After an import, autovacuum comes within a minute, or never where it is off. Until then common words would look rare.
    await connection.query(`ANALYZE ${table}`);
    rows = await readStatistics(connection, table, words);
  }
  const known = Number(rows[0]?.["records"] ?? 0);
  const counts = rows.map(({ word, share, sampled, part, rarest }) => {
    const isComplete = share === null && Number(sampled) < sampleSize;
    const estimated =
      share === null ? Math.min(Number(sampled) / Number(part), Number(rarest ?? 1) * known) : Number(share) * known;
    return { word: String(word), count: isComplete ? Number(sampled) : Math.round(estimated) };
  });
  return { counts, records: Math.max(known, ...counts.map(({ count }) => count)) };
}

/** What PostgreSQL knows of a table and of each word: its share of the records if it is common, else the oldest records with it. */
async function readStatistics(connection: Connection, table: string, words: readonly string[]) {
  return connection.query(
    `WITH common AS MATERIALIZED (
       SELECT one.word, one.share
       FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS one (word, share)
       WHERE schemaname = current_schema() AND tablename = $1 AND attname = 'words'
     )
     SELECT c.reltuples AS records, c.relpages AS known_pages,
       pg_relation_size(c.oid) / current_setting('block_size')::bigint AS pages,
       wanted.word, known.share, (SELECT min(share) FROM common) AS rarest, sample.sampled,
       (sample.last - age.first + 1)::float / (age.last - age.first + 1) AS part
     FROM pg_class AS c
     CROSS JOIN (SELECT min(seq) AS first, max(seq) AS last FROM ${table}) AS age
     CROSS JOIN unnest($2::text[], $3::text[]::tsquery[]) AS wanted (word, query)
     LEFT JOIN common AS known ON known.word = wanted.word
     CROSS JOIN LATERAL (
       SELECT count(*) AS sampled, max(seq) AS last
       FROM (SELECT seq FROM ${table} WHERE known.share IS NULL AND words @@ wanted.query LIMIT ${sampleSize}) AS oldest
     ) AS sample
     WHERE c.oid = $1::text::regclass`,
    [table, words, words.map((word) => textQuery([word], "all"))],
  );
}

function isOutdated([row]: readonly SqlRow[]): boolean {
  return Number(row?.["pages"] ?? 0) > 2 * Number(row?.["known_pages"] ?? 0) + outdatedPages;
}
