/** The vectors beside the records of a kind. */
import type { DriverReader, DriverTransaction, KindLayout } from "@toolpacks/store";
import {
  addVectorSetsSql,
  addVectorsSql,
  rowsWithoutVectorSql,
  toRowsWithoutVector,
  toVectorSet,
  vectorSetsSql,
  writeVectorStatements,
} from "@toolpacks/store-sql";
import { parseStored, type Connection } from "./connection.ts";
import { signsText, sqliteDialect } from "./sqlite-dialect.ts";

export function readVectors(connection: Connection): Pick<DriverReader, "vectorSets" | "rowsWithoutVector"> {
  return {
    vectorSets: (kind) => connection.query(sqliteDialect.compile(vectorSetsSql(kind))).map(toVectorSet),
    rowsWithoutVector(kind, range) {
      const found = connection.query(sqliteDialect.compile(rowsWithoutVectorSql(kind, range)));
      return toRowsWithoutVector(found, range.limit, parseStored);
    },
  };
}

export function fillVectors(connection: Connection): Pick<DriverTransaction, "addVectorSets" | "addVectors"> {
  const run = (statements: ReturnType<typeof addVectorSetsSql>) => {
    for (const statement of statements) connection.query(sqliteDialect.compile(statement));
  };
  return {
    addVectorSets: (kind, names) => run(addVectorSetsSql(kind, names)),
    addVectors: (kind, set, vectors) => run(addVectorsSql(sqliteDialect, kind, { set, vectors })),
  };
}

/** Replaces a record's vectors in every set of its kind. */
export function writeVectors(
  connection: Connection,
  kind: KindLayout,
  row: Parameters<typeof writeVectorStatements>[1],
): void {
  const found = connection.all("SELECT number, name FROM vector_set WHERE kind = ?", kind.name);
  const sets = found.map(({ number, name }) => ({ number: Number(number), name: String(name) }));
  for (const [text, ...values] of writeVectorStatements(sets, row, signsText)) connection.run(text, ...values);
}

export function removeVectors(
  connection: Connection,
  kind: KindLayout,
  { workspace, seq }: { readonly workspace: number; readonly seq: number },
): void {
  connection.run(
    `DELETE FROM record_vector WHERE vector_set IN (SELECT number FROM vector_set WHERE kind = ?)
     AND workspace = ? AND closed IN (0, 1) AND seq = ?`,
    kind.name,
    workspace,
    seq,
  );
}
