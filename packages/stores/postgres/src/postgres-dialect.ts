/** PostgreSQL's SQL for kinds and queries: fields as expressions, and words as text vectors. */
import type { IndexedField } from "@toolpacks/core";
import type { TextWords } from "@toolpacks/store";
import { fromSql, type Sql, type SqlDialect } from "@toolpacks/store-sql";
import { Kysely, PostgresDialect, sql } from "kysely";

/** Compiles queries. It does not run them. */
const builder = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: () => Promise.reject() }) });

const dataColumn = sql`r.data`;

export const postgresDialect: SqlDialect = {
  compile: (query) => query.compile(builder),
  source: (kind, { text, ...rest }) => ({
    from: fromSql(kind),
    conditions: text === undefined ? [] : [sql`r.words @@ ${textQuery(text.words, text.match)}::tsquery`],
    age: sql`r.seq`,
    rest,
  }),
  workspace: () => sql`r.workspace`,
  scalar: (field) => (field.type === "key" ? sql.ref(`r.${field.path}`) : scalarSql(dataColumn, field)),
  bound: (_field, value) => value,
  contains: (_kind, field, value) => sql`${arraySql(dataColumn, field)} @> ${JSON.stringify([value])}::jsonb`,
  length: (field) => lengthSql(dataColumn, field),
  ascending: sql`ASC NULLS FIRST`,
  descending: sql`DESC NULLS LAST`,
};

/** The signs of a vector as PostgreSQL's `bit(384)`, in hexadecimal. */
export function signsText(signs: Uint8Array): string {
  return `x${Buffer.from(signs).toString("hex")}`;
}

/**
 * A field of a record, cast to the type for comparisons. NULL if the record lacks it or has another type from an older schema. Indexes and queries
 * must use the same expression.
 */
export function scalarSql(data: Sql, { path, type }: IndexedField): Sql {
  const keys = sql.lit(textArray(path.split(".")));
  const value = sql`(${data} #> ${keys}::text[])`;
  const text = sql`(${data} #>> ${keys}::text[])`;
  switch (type) {
    case "number":
      return sql`(CASE jsonb_typeof${value} WHEN 'number' THEN ${text}::double precision END)`;
    case "boolean":
      return sql`(CASE jsonb_typeof${value} WHEN 'boolean' THEN ${text}::boolean END)`;
    default:
      return sql`((CASE jsonb_typeof${value} WHEN 'string' THEN ${text} END) COLLATE "C")`;
  }
}

/** An array field as jsonb. */
export function arraySql(data: Sql, { path }: IndexedField): Sql {
  return sql`(${data} #> ${sql.lit(textArray(path.split(".")))}::text[])`;
}

/** The number of items of an array field, or NULL. */
export function lengthSql(data: Sql, field: IndexedField): Sql {
  const array = arraySql(data, field);
  return sql`(CASE jsonb_typeof${array} WHEN 'array' THEN jsonb_array_length${array} END)`;
}

/** A literal of type text[]. */
function textArray(names: readonly string[]): string {
  return `{${names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(",")}}`;
}

/** Maximum position of a word in PostgreSQL. */
const lastPosition = 16_383;

/** Words as a tsvector literal, which bypasses PostgreSQL's parsers and dictionaries. Words of the first field have the highest weight. */
export function textVector({ first, rest }: TextWords): string {
  const all = [...first.map((word) => [word, "A"] as const), ...rest.map((word) => [word, "D"] as const)];
  return all.map(([word, weight], at) => `${quote(word)}:${Math.min(at + 1, lastPosition)}${weight}`).join(" ");
}

/** Words as a tsquery literal. Each word is quoted, so that none is an operator. */
export function textQuery(words: readonly string[], match: "all" | "any"): string {
  return words.map(quote).join(match === "all" ? " & " : " | ");
}

function quote(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
