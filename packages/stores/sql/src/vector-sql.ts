/**
 * The vectors beside records as SQL. `vector_set` has the sets of vectors, and `record_vector` the signs of a record's vector in a set, with the
 * workspace, `closed` and age of the record.
 */
import type { KindLayout, NewRow, RowsWithoutVector, VectorRange, VectorSet } from "@toolpacks/store";
import { sql } from "kysely";
import { recordTable } from "./kind-layout.ts";
import type { Sql, SqlDialect } from "./sql-dialect.ts";

type SqlRow = Readonly<Record<string, unknown>>;

/** Maximum number of sets of a kind, unless a process uses more. */
const maxSets = 2;
/** Number of records that are looked at for those without a vector. */
const lookedAtOnce = 2_000;

export function vectorSetsSql({ name }: KindLayout): Sql {
  return sql`SELECT number, name, missing, (SELECT max(seq) FROM ${sql.table(recordTable(name))}) AS newest
    FROM vector_set WHERE kind = ${name}`;
}

export function toVectorSet({ number, name, missing, newest }: SqlRow): VectorSet {
  return {
    number: Number(number),
    name: String(name),
    missing: missing === null ? undefined : Number(missing),
    newest: Number(newest),
  };
}

/** The statements that add sets, and remove the oldest others with their vectors. */
export function addVectorSetsSql(kind: KindLayout, names: readonly string[]): readonly Sql[] {
  const added = names.map(
    (name) => sql`INSERT INTO vector_set (kind, name, missing)
      SELECT ${kind.name}, ${name}, CASE WHEN EXISTS (SELECT 1 FROM ${sql.table(recordTable(kind.name))}) THEN 0 END
      WHERE NOT EXISTS (SELECT 1 FROM vector_set WHERE kind = ${kind.name} AND name = ${name})`,
  );
  return [
    ...added,
    sql`DELETE FROM vector_set WHERE kind = ${kind.name} AND number NOT IN (
      SELECT number FROM vector_set WHERE kind = ${kind.name}
      ORDER BY name IN (${sql.join([...names])}) DESC, number DESC LIMIT ${Math.max(maxSets, names.length)})`,
    sql`DELETE FROM record_vector WHERE vector_set NOT IN (SELECT number FROM vector_set)`,
  ];
}

/** The records without a vector in a range, each with the end of the range. One row without a record if there is none. */
export function rowsWithoutVectorSql({ name }: KindLayout, { set, from, limit }: VectorRange): Sql {
  const table = sql.table(recordTable(name));
  return sql`WITH looked AS (
      SELECT (SELECT seq FROM ${table} WHERE seq >= ${from} ORDER BY seq LIMIT 1 OFFSET ${lookedAtOnce}) AS next
    )
    SELECT looked.next, r.seq, r.generation, r.data FROM looked LEFT JOIN ${table} AS r
      ON r.seq >= ${from} AND (looked.next IS NULL OR r.seq < looked.next) AND NOT EXISTS (
        SELECT 1 FROM record_vector AS v
        WHERE v.vector_set = ${set} AND v.workspace = r.workspace AND v.closed = r.closed AND v.seq = r.seq
      )
    ORDER BY r.seq LIMIT ${limit}`;
}

/** @param dataOf the data of a record, as the database stores it */
export function toRowsWithoutVector(
  found: readonly SqlRow[],
  limit: number,
  dataOf: (stored: unknown) => unknown,
): RowsWithoutVector {
  const rows = found.flatMap(({ seq, generation, data }) =>
    seq === null
      ? []
      : [
          {
            age: Number(seq),
            generation: Number(generation),
            data: dataOf(data) as RowsWithoutVector["rows"][number]["data"],
          },
        ],
  );
  const next = rows.length < limit ? found[0]?.["next"] : Number(rows.at(-1)?.age) + 1;
  return { rows, next: typeof next === "number" ? next : undefined };
}

/** The statements that add vectors of records to a set. */
export function addVectorsSql(
  dialect: SqlDialect,
  kind: KindLayout,
  {
    set: { number, missing },
    vectors,
  }: {
    readonly set: Pick<VectorSet, "number" | "missing">;
    readonly vectors: readonly { readonly age: number; readonly signs: Uint8Array }[];
  },
): readonly Sql[] {
  const values = vectors.map(({ age, signs }) => sql`(${sql.lit(age)}, ${dialect.signs(signs)})`);
  const added = sql`INSERT INTO record_vector (vector_set, workspace, closed, seq, signs)
    SELECT ${sql.lit(number)}, r.workspace, r.closed, r.seq, made.column2
    FROM (VALUES ${sql.join(values)}) AS made JOIN ${sql.table(recordTable(kind.name))} AS r ON r.seq = made.column1`;
  const counted = sql`UPDATE vector_set SET missing = ${missing ?? null} WHERE number = ${number}`;
  return values.length === 0 ? [counted] : [added, counted];
}

/** A record that was written. */
interface WrittenRow extends Pick<NewRow, "vectorOf"> {
  readonly workspace: number;
  readonly seq: number;
  readonly closed: number;
  /** `closed` before. Undefined for a new record. */
  readonly closedBefore: number | undefined;
}

/** A statement with `?` in place of its values. */
export type Statement = readonly [text: string, ...values: readonly unknown[]];

/**
 * The statements that replace a record's vectors in the sets of its kind.
 *
 * @param signsText the signs of a vector, as they are stored
 */
export function writeVectorStatements(
  sets: readonly Pick<VectorSet, "number" | "name">[],
  { workspace, seq, closed, closedBefore, vectorOf }: WrittenRow,
  signsText: (signs: Uint8Array) => string,
): readonly Statement[] {
  const where = "WHERE vector_set = ? AND workspace = ? AND seq = ? AND closed = ?";
  return sets.flatMap(({ number, name }): readonly Statement[] => {
    const vector = vectorOf?.(name) ?? "missing";
    const before = [number, workspace, seq, closedBefore];
    if (vector === "kept") {
      return closedBefore === closed ? [] : [[`UPDATE record_vector SET closed = ? ${where}`, closed, ...before]];
    }
    const removed: readonly Statement[] =
      closedBefore === undefined ? [] : [[`DELETE FROM record_vector ${where}`, ...before]];
    if (vector === "none") return removed;
    const missing = "SET missing = CASE WHEN missing < ? THEN missing ELSE ? END";
    const added: Statement =
      vector === "missing"
        ? [`UPDATE vector_set ${missing} WHERE number = ?`, seq, seq, number]
        : [
            "INSERT INTO record_vector (vector_set, workspace, seq, closed, signs) VALUES (?, ?, ?, ?, ?)",
            number,
            workspace,
            seq,
            closed,
            signsText(vector),
          ];
    return [...removed, added];
  });
}
