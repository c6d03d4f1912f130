import type { DriverReader } from "@toolpacks/core/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { find, withSnapshot, readGeneration } from "./find.ts";
import { readLayouts } from "./kind-tables.ts";
import { toRow } from "./to-row.ts";

/** Creates the read functions of a driver on one connection. */
export function createReader(connection: Connection): DriverReader {
  return {
    ensureKind() {},
    get(kind, workspace, id) {
      const row = connection.one(
        `SELECT id, generation, closed, data, ? AS workspace FROM ${recordTable(kind.name)}
         WHERE workspace = (SELECT number FROM workspace WHERE name = ?) AND id = ?`,
        workspace,
        workspace,
        id,
      );
      return row && toRow(row);
    },
    find: (kind, plan) => find(connection, kind, plan),
    generation: () => readGeneration(connection),
    workspaces: () => workspaces(connection),
  };
}

/** Maximum number of kinds per statement, because SQLite limits the size of an expression. */
const maxKindsPerStatement = 100;

function workspaces(connection: Connection): readonly string[] {
  return withSnapshot(connection, () => {
    const kinds = readLayouts(connection).map(
      ({ name }) => `EXISTS (SELECT 1 FROM ${recordTable(name)} WHERE workspace = number)`,
    );
    const used = new Set<unknown>();
    for (let from = 0; from < kinds.length; from += maxKindsPerStatement) {
      const some = kinds.slice(from, from + maxKindsPerStatement).join(" OR ");
      for (const { number } of connection.all(`SELECT number FROM workspace WHERE ${some}`)) used.add(number);
    }
    const all = connection.all("SELECT number, name FROM workspace ORDER BY name");
    return all.flatMap(({ number, name }) => (used.has(number) ? [String(name)] : []));
  });
}
