import type { DriverReader } from "@toolpacks/core/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { find, readGeneration } from "./find.ts";
import { readLayouts } from "./kind-tables.ts";
import { toRow } from "./to-row.ts";

/** Reads through one connection. */
export function createReader(connection: Connection): DriverReader {
  return {
    prepare() {},
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

function workspaces(connection: Connection): readonly string[] {
  const kinds = readLayouts(connection);
  if (kinds.length === 0) return [];
  const used = kinds.map(({ name }) => `EXISTS (SELECT 1 FROM ${recordTable(name)} WHERE workspace = number)`);
  return connection
    .all(`SELECT name FROM workspace WHERE ${used.join(" OR ")} ORDER BY name`)
    .map(({ name }) => String(name));
}
