/** The vectors beside the records of a kind. */
import type { DriverReader, DriverTransaction, VectorSet } from "@toolpacks/store";
import {
  addVectorSetsSql,
  addVectorsSql,
  rowsWithoutVectorSql,
  toRowsWithoutVector,
  toVectorSet,
  vectorSetsSql,
  writeVectorStatements,
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

/** A set of vectors of a kind. */
export type SetNumber = Pick<VectorSet, "number" | "name">;

/** Replaces a record's vectors in the sets of its kind. */
export async function writeVectors(
  connection: Connection,
  sets: readonly SetNumber[],
  row: Parameters<typeof writeVectorStatements>[1],
): Promise<void> {
  for (const [text, ...values] of writeVectorStatements(sets, row, signsText)) {
    let at = 0;
    await connection.query(
      text.replaceAll("?", () => `$${(at += 1)}`),
      values,
    );
  }
}
