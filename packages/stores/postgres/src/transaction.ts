/** The changes inside a write transaction. */
import type { RecordData } from "@toolpacks/core";
import { recordWords, type DriverTransaction, type KindLayout, type NewRow, type Operation } from "@toolpacks/store";
import { recordTable, vectorFunctions, writeVectors, writtenSets } from "@toolpacks/store-sql";
import type { Connection, SqlRow } from "./database.ts";
import { ensureKindTables, readLayout } from "./kind-tables.ts";
import { vectorDatabase } from "./record-vectors.ts";
import { textVector } from "./postgres-dialect.ts";
import { damagedError } from "./postgres-error.ts";
import { createReader } from "./reader.ts";

/** Number of generations for which the answer of a put is kept for retries. */
const rememberedGenerations = 100_000;

/** A transaction that holds the row lock of the only writer. */
export interface OpenTransaction extends DriverTransaction {
  /** The generation after its writes. */
  currentGeneration(): number;
}

/** @param generation the store's generation, read under the lock */
export function openTransaction(connection: Connection, generation: number): OpenTransaction {
  const state: State = { generation, layouts: new Map(), sets: new Map(), workspaces: new Map() };
  const reader = createReader(connection);
  let depth = 0;
  return {
    ...reader,
    find: async (kind, plan) => ({ ...(await reader.find(kind, plan)), generation: state.generation }),
    generation: () => state.generation,
    currentGeneration: () => state.generation,
    async ensureKind(kind) {
      await ensureKindTables(connection, kind);
      state.layouts.delete(kind.name);
    },
    write: (kind, row) => write(connection, state, { kind, row }),
    remove: (kind, workspace, id) => remove(connection, state, { kind, workspace, id }),
    ...vectorFunctions(vectorDatabase(connection)),
    async workspaceBytes(workspace) {
      const [found] = await connection.query("SELECT bytes FROM workspace WHERE name = $1", [workspace]);
      return Number(found?.["bytes"] ?? 0);
    },
    async operation(workspace, id) {
      const [found] = await connection.query(
        `SELECT request, answer FROM operation
         WHERE workspace = (SELECT number FROM workspace WHERE name = $1) AND id = $2`,
        [workspace, id],
      );
      return found && { request: String(found["request"]), answer: found["answer"] as RecordData };
    },
    remember: (operation) => remember(connection, state, operation),
    async savepoint(work) {
      const name = `s${(depth += 1)}`;
      const before = state.generation;
      await connection.query(`SAVEPOINT ${name}`);
      try {
        const result = await work();
        await connection.query(`RELEASE ${name}`);
        return result;
      } catch (error) {
        state.generation = before;
        // The cached values may have been undone.
        state.layouts.clear();
        state.sets.clear();
        state.workspaces.clear();
        await connection.query(`ROLLBACK TO ${name}`);
        await connection.query(`RELEASE ${name}`);
        throw error;
      } finally {
        depth -= 1;
      }
    },
  };
}

interface State {
  generation: number;
  readonly layouts: Map<string, KindLayout>;
  /** The sets of vectors of kinds. */
  readonly sets: Map<string, readonly SqlRow[]>;
  readonly workspaces: Map<string, number>;
}

async function write(
  connection: Connection,
  state: State,
  { kind: { name }, row }: { readonly kind: KindLayout; readonly row: NewRow },
): Promise<number> {
  const layout = state.layouts.get(name) ?? (await readLayout(connection, name));
  if (layout === undefined) throw new Error(`kind ${name} is written before ensureKind`);
  state.layouts.set(name, layout);
  const database = vectorDatabase(connection);
  const sets = state.sets.get(name) ?? (await writtenSets(database, layout, row.vectors?.names));
  state.sets.set(name, sets);
  const workspace = await workspaceNumber(connection, state, row.workspace);
  const generation = row.generation ?? state.generation + 1;
  state.generation = Math.max(state.generation, generation);
  const table = recordTable(name);
  const closed = Number(row.closed);
  // The age of a new record is its generation. An imported record gets an age after all existing records, and the generation continues from it.
  const age = row.generation === undefined ? "$1::bigint" : `(SELECT COALESCE(max(seq), 0) + 1 FROM ${table})`;
  const [written] = await connection.query(
    `WITH before AS (
       SELECT octet_length(data::text) AS size, closed FROM ${table} WHERE workspace = $2::integer AND id = $3
     ), written AS (
       INSERT INTO ${table} (seq, workspace, id, generation, closed, data, words)
       VALUES (${age}, $2::integer, $3, $1::bigint, $4, $5, $6::tsvector)
       ON CONFLICT (workspace, id) DO UPDATE
       SET generation = EXCLUDED.generation, closed = EXCLUDED.closed, data = EXCLUDED.data, words = EXCLUDED.words
       RETURNING seq, octet_length(data::text) AS size
     ), counted AS (
       UPDATE workspace SET bytes = bytes + written.size - COALESCE((SELECT size FROM before), 0)
       FROM written WHERE number = $2::integer
     )
     SELECT seq, (SELECT closed FROM before) AS before FROM written`,
    [generation, workspace, row.id, closed, row.json, textVector(recordWords(row.data, layout.text))],
  );
  if (written === undefined) throw damagedError(`${table} does not keep a new record`);
  const seq = Number(written["seq"]);
  state.generation = Math.max(state.generation, seq);
  const closedBefore = written["before"] === null ? undefined : Number(written["before"]);
  await writeVectors(database, sets, { ...row, workspace, seq, closed, closedBefore });
  return generation;
}

async function remove(
  connection: Connection,
  state: State,
  { kind, workspace, id }: { readonly kind: KindLayout; readonly workspace: string; readonly id: string },
): Promise<boolean> {
  const removed = await connection.query(
    `WITH removed AS (
       DELETE FROM ${recordTable(kind.name)}
       WHERE workspace = (SELECT number FROM workspace WHERE name = $1) AND id = $2
       RETURNING workspace, closed, seq, octet_length(data::text) AS size
     ), counted AS (
       UPDATE workspace SET bytes = bytes - removed.size FROM removed WHERE number = removed.workspace
     ), unmade AS (
       DELETE FROM record_vector AS v USING removed AS r, vector_set AS s
       WHERE s.kind = $3 AND v.vector_set = s.number AND v.workspace = r.workspace AND v.closed = r.closed AND v.seq = r.seq
     )
     SELECT size FROM removed`,
    [workspace, id, kind.name],
  );
  if (removed.length > 0) state.generation += 1;
  return removed.length > 0;
}

async function workspaceNumber(connection: Connection, { workspaces }: State, name: string): Promise<number> {
  const known = workspaces.get(name);
  if (known !== undefined) return known;
  const [row] = await connection.query(
    `WITH added AS (INSERT INTO workspace (name) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM workspace WHERE name = $1) RETURNING number)
     SELECT number FROM added UNION ALL SELECT number FROM workspace WHERE name = $1`,
    [name],
  );
  const number = Number(row?.["number"]);
  workspaces.set(name, number);
  return number;
}

async function remember(connection: Connection, state: State, operation: Operation): Promise<void> {
  await connection.query(forgetOperations, [state.generation - rememberedGenerations]);
  await connection.query(
    `WITH remembered AS (
       INSERT INTO operation (workspace, id, generation, request, answer) VALUES ($1, $2, $3, $4, $5)
       RETURNING workspace, octet_length(answer::text) AS size
     )
     UPDATE workspace SET bytes = bytes + remembered.size FROM remembered WHERE number = remembered.workspace`,
    [
      await workspaceNumber(connection, state, operation.workspace),
      operation.id,
      state.generation,
      operation.request,
      JSON.stringify(operation.answer),
    ],
  );
}

const forgetOperations = `
  WITH forgotten AS (
    DELETE FROM operation WHERE generation < $1 RETURNING workspace, octet_length(answer::text) AS size
  ), freed AS (
    SELECT workspace, sum(size)::bigint AS size FROM forgotten GROUP BY workspace
  )
  UPDATE workspace SET bytes = bytes - freed.size FROM freed WHERE number = freed.workspace`;
