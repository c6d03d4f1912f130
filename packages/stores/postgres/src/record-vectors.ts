/** The vectors beside the records of a kind. */
import type { DriverReader, DriverTransaction, NewRow } from "@toolpacks/store";
import {
  addVectorSetsSql,
  addVectorsSql,
  rowsWithoutVectorSql,
  toRowsWithoutVector,
  toVectorSet,
  vectorSetsSql,
} from "@toolpacks/store-sql";
import type { Connection } from "./database.ts";
import { postgresDialect, signsText } from "./postgres-dialect.ts";

export function readVectors(connection: Connection): Pick<DriverReader, "vectorSets" | "rowsWithoutVector"> {
  return {
    async vectorSets(kind) {
      return (await connection.run(postgresDialect.compile(vectorSetsSql(kind)))).map(toVectorSet);
    },
    async rowsWithoutVector(kind, range) {
      const found = await connection.run(postgresDialect.compile(rowsWithoutVectorSql(kind, range)));
      return toRowsWithoutVector(found, range.limit, (data) => data);
    },
  };
}

export function fillVectors(connection: Connection): Pick<DriverTransaction, "addVectorSets" | "addVectors"> {
  const run = async (statements: ReturnType<typeof addVectorSetsSql>) => {
    for (const statement of statements) await connection.run(postgresDialect.compile(statement));
  };
  return {
    addVectorSets: (kind, names) => run(addVectorSetsSql(kind, names)),
    addVectors: (kind, set, vectors) => run(addVectorsSql(postgresDialect, kind, { set, vectors })),
  };
}

/** The name and number of a set. */
export type SetNumber = readonly [name: string, number: number];

/** Parts of the statement that writes a record: they replace its vectors in the sets of its kind. `$2` is the workspace, `$4` is `closed`. */
export const writeVectorsSql = `, made AS (
    SELECT * FROM unnest($7::integer[], $8::text[]) AS made (vector_set, signs)
  ), unmade AS (
    DELETE FROM record_vector AS v USING written, made
    WHERE v.vector_set = made.vector_set AND v.workspace = $2::integer AND v.closed IN (0, 1) AND v.seq = written.seq
      AND (made.signs IS NULL OR v.closed <> $4)
  ), added AS (
    INSERT INTO record_vector (vector_set, workspace, closed, seq, signs)
    SELECT made.vector_set, $2::integer, $4, written.seq, made.signs::bit(384) FROM written, made WHERE made.signs IS NOT NULL
    ON CONFLICT (vector_set, workspace, closed, seq) DO UPDATE SET signs = EXCLUDED.signs
  ), kept AS (
    UPDATE record_vector AS v SET closed = $4 FROM written
    WHERE v.vector_set = ANY ($9::integer[]) AND v.workspace = $2::integer AND v.closed = 1 - $4 AND v.seq = written.seq
  ), missed AS (
    UPDATE vector_set SET missing = LEAST(missing, written.seq) FROM written WHERE number = ANY ($10::integer[])
  )`;

/** The values `$7` to `$10`: the sets whose vectors are replaced, the new ones, the sets that keep theirs, and those where it is missing. */
export function writtenVectors(sets: readonly SetNumber[], vectorOf: NewRow["vectorOf"]): readonly unknown[] {
  const vectors = sets.map(([name, number]) => ({ number, vector: vectorOf?.(name) ?? "missing" }));
  const numbers = (wanted: string) => vectors.flatMap(({ number, vector }) => (vector === wanted ? [number] : []));
  const replaced = vectors.filter(({ vector }) => vector !== "kept");
  const signs = replaced.map(({ vector }) => (typeof vector === "string" ? null : signsText(vector)));
  return [replaced.map(({ number }) => number), signs, numbers("kept"), numbers("missing")];
}
