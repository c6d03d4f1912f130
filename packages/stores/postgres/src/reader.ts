import type { DriverReader } from "@toolpacks/core/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Connection } from "./database.ts";
import { find, toRow } from "./find.ts";
import { readLayouts } from "./kind-tables.ts";
import { storedGeneration } from "./postgres-error.ts";

/** Creates the read functions of a driver, for the pool or the connection of a transaction. */
export function createReader(connection: Connection): Omit<DriverReader, "ensureKind"> {
  return {
    async get(kind, workspace, id) {
      const [row] = await connection.query(
        `SELECT id, generation, closed, data, $1::text AS workspace FROM ${recordTable(kind.name)}
         WHERE workspace = (SELECT number FROM workspace WHERE name = $1) AND id = $2`,
        [workspace, id],
      );
      return row && toRow(row);
    },
    find: (kind, plan) => find(connection, kind, plan),
    generation: () => readGeneration(connection),
    workspaces: () => workspaces(connection),
  };
}

export async function readGeneration(connection: Connection): Promise<number> {
  return storedGeneration((await connection.query("SELECT generation FROM toolpacks"))[0]?.["generation"]);
}

async function workspaces(connection: Connection): Promise<readonly string[]> {
  const kinds = await readLayouts(connection);
  if (kinds.length === 0) return [];
  const used = kinds.map(({ name }) => `EXISTS (SELECT 1 FROM ${recordTable(name)} WHERE workspace = number)`);
  const rows = await connection.query(`SELECT name FROM workspace WHERE ${used.join(" OR ")} ORDER BY name`);
  return rows.map(({ name }) => String(name));
}
