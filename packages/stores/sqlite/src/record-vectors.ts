/** The vectors beside the records of a kind. */
import type { DriverReader, DriverTransaction, KindLayout, NewRow } from "@toolpacks/store";
import {
  addVectorSetsSql,
  addVectorsSql,
  rowsWithoutVectorSql,
  toRowsWithoutVector,
  toVectorSet,
  vectorSetsSql,
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

interface VectorRow extends Pick<NewRow, "vectorOf"> {
  readonly workspace: number;
  readonly closed: number;
  readonly seq: number;
}

/** Replaces a record's vectors in every set of its kind. */
export function writeVectors(connection: Connection, kind: KindLayout, row: VectorRow): void {
  const { workspace, closed, seq, vectorOf } = row;
  for (const { number, name } of connection.all("SELECT number, name FROM vector_set WHERE kind = ?", kind.name)) {
    const vector = vectorOf?.(String(name)) ?? "missing";
    const place = [number, workspace, seq];
    if (vector === "kept") {
      connection.run(
        "UPDATE record_vector SET closed = ? WHERE vector_set = ? AND workspace = ? AND seq = ? AND closed = ?",
        closed,
        ...place,
        1 - closed,
      );
      continue;
    }
    connection.run(
      "DELETE FROM record_vector WHERE vector_set = ? AND workspace = ? AND seq = ? AND closed IN (0, 1)",
      ...place,
    );
    if (vector === "missing") {
      const missing = "missing = min(coalesce(missing, ?), ?)";
      connection.run(`UPDATE vector_set SET ${missing} WHERE number = ?`, seq, seq, number);
    } else if (vector !== "none") {
      connection.run(
        "INSERT INTO record_vector (vector_set, workspace, seq, closed, signs) VALUES (?, ?, ?, ?, ?)",
        ...place,
        closed,
        signsText(vector),
      );
    }
  }
}

export function removeVectors(
  connection: Connection,
  kind: KindLayout,
  { workspace, seq }: Pick<VectorRow, "workspace" | "seq">,
): void {
  connection.run(
    `DELETE FROM record_vector WHERE vector_set IN (SELECT number FROM vector_set WHERE kind = ?)
     AND workspace = ? AND closed IN (0, 1) AND seq = ?`,
    kind.name,
    workspace,
    seq,
  );
}
