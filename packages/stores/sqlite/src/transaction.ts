/** Writes on one connection: transactions under SQLite's write lock, and the changes inside of them. */
import { setTimeout as wait } from "node:timers/promises";
import type { RecordData } from "@toolpacks/core";
import type { DriverReader, DriverTransaction, KindLayout, NewRow, Operation } from "@toolpacks/store";
import { recordTable, vectorFunctions, writeVectors, writtenSets } from "@toolpacks/store-sql";
import { parseStored, type Connection } from "./connection.ts";
import { arrayFields, removeItems, removeWords, indexRow } from "./index-row.ts";
import { ensureKindTables, readLayout } from "./kind-tables.ts";
import { markVectorChange, vectorDatabase } from "./record-vectors.ts";
import { readGeneration } from "./reader.ts";
import { damagedError, isBusy } from "./sqlite-error.ts";

/** Runs write transactions on one connection. The caller runs one at a time. */
export interface Writer {
  /** Runs work while this connection holds SQLite's write lock. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work inside a transaction. If it rejects, only its writes are undone. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** Runs statements that take the lock themselves and cannot be in a transaction. */
  outside(work: () => void): Promise<void>;
}

/** @param busyTimeoutMs milliseconds to wait for other processes before `unavailable` */
export function createWriter(connection: Connection, busyTimeoutMs: number): Writer {
  let depth = 0;

  const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
    await retryWhileBusy(() => connection.exec("BEGIN IMMEDIATE"), busyTimeoutMs);
    try {
      const result = await work();
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      rollback(connection, "ROLLBACK");
      throw error;
    }
  };
  return {
    transaction,
    async savepoint(work) {
      const name = `s${(depth += 1)}`;
      connection.exec(`SAVEPOINT ${name}`);
      try {
        const result = await work();
        connection.exec(`RELEASE ${name}`);
        return result;
      } catch (error) {
        rollback(connection, `ROLLBACK TO ${name}; RELEASE ${name}`);
        throw error;
      } finally {
        depth -= 1;
      }
    },
    outside: (work) => retryWhileBusy(work, busyTimeoutMs),
  };
}

/** Runs work that needs the lock. While another process holds it, retries without blocking this process. */
async function retryWhileBusy(work: () => void, busyTimeoutMs: number): Promise<void> {
  const deadline = performance.now() + busyTimeoutMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Random pauses, so that waiting processes do not all retry at the same time.
      await wait(pause * (0.5 + Math.random()));
    }
  }
}

/** Rolls back, unless SQLite already ended the transaction after an error such as a full disk. */
function rollback(connection: Connection, sql: string): void {
  if (connection.database.isTransaction) connection.exec(sql);
}

/** Number of generations for which the answer of a put is kept for retries. */
const rememberedGenerations = 100_000;

/** Creates the transaction of a driver: the read functions plus writes. */
export function createTransaction(connection: Connection, reader: DriverReader, writer: Writer): DriverTransaction {
  const vectors = vectorFunctions(vectorDatabase(connection));
  return {
    ...reader,
    ensureKind: (kind) => ensureKindTables(connection, kind),
    write: (kind, row) => write(connection, kind, row),
    remove: (kind, workspace, id) => remove(connection, kind, { workspace, id }),
    ...vectors,
    addVectors(kind, set, added) {
      markVectorChange(connection, kind);
      return vectors.addVectors(kind, set, added);
    },
    workspaceBytes(workspace) {
      return Number(connection.one("SELECT bytes FROM workspace WHERE name = ?", workspace)?.["bytes"] ?? 0);
    },
    operation(workspace, id) {
      const found = connection.one(
        "SELECT request, answer FROM operation WHERE workspace = (SELECT number FROM workspace WHERE name = ?) AND id = ?",
        workspace,
        id,
      );
      if (found === undefined) return undefined;
      return { request: String(found["request"]), answer: parseStored(found["answer"]) as RecordData };
    },
    remember: (operation) => remember(connection, operation),
    savepoint: (work) => writer.savepoint(work),
  };
}

async function write(connection: Connection, known: KindLayout, row: NewRow): Promise<number> {
  const { id, json, data } = row;
  const kind = readLayout(connection, known.name) ?? known;
  const closed = Number(row.closed);
  const database = vectorDatabase(connection);
  const sets = await writtenSets(database, kind, row.vectors?.names);
  const table = recordTable(kind.name);
  const workspace = workspaceNumber(connection, row.workspace);
  const generation = takeGeneration(connection, row.generation);
  const before = readExisting(connection, kind, { workspace, id });
  addBytes(connection, workspace, Buffer.byteLength(json) - (before?.size ?? 0));
  let seq = before?.seq ?? 0;
  if (before === undefined) {
    // The age of a new record is its generation. An imported record gets an age after all existing records, and the generation continues from it.
    const inserted = connection.one(
      `INSERT INTO ${table} (seq, workspace, id, generation, closed, data)
       VALUES (COALESCE(?, (SELECT COALESCE(max(seq), 0) + 1 FROM ${table})), ?, ?, ?, ?, ?) RETURNING seq`,
      row.generation === undefined ? generation : null,
      workspace,
      id,
      generation,
      closed,
      json,
    );
    if (inserted === undefined) throw damagedError(new Error(`${table} does not keep a new record`));
    seq = Number(inserted["seq"]);
    if (row.generation !== undefined) takeGeneration(connection, seq);
  } else {
    connection.run(
      `UPDATE ${table} SET generation = ?, closed = ?, data = ? WHERE seq = ?`,
      generation,
      closed,
      json,
      seq,
    );
  }
  indexRow(connection, kind, { seq, data, before: before?.data });
  await writeVectors(database, sets, { ...row, workspace, seq, closed, closedBefore: before?.closed });
  if (sets.length > 0) markVectorChange(connection, kind);
  return generation;
}

function remove(
  connection: Connection,
  known: KindLayout,
  row: { readonly workspace: string; readonly id: string },
): boolean {
  const kind = readLayout(connection, known.name) ?? known;
  const workspace = workspaceNumber(connection, row.workspace);
  const before = readExisting(connection, kind, { workspace, id: row.id });
  if (before === undefined) return false;
  takeGeneration(connection, undefined);
  addBytes(connection, workspace, -before.size);
  if (before.data !== undefined) removeItems(connection, kind, { seq: before.seq, data: before.data });
  removeWords(connection, kind, before.seq);
  connection.run(
    `DELETE FROM record_vector WHERE vector_set IN (SELECT number FROM vector_set WHERE kind = ?)
     AND workspace = ? AND closed = ? AND seq = ?`,
    kind.name,
    workspace,
    before.closed,
    before.seq,
  );
  markVectorChange(connection, kind);
  connection.run(`DELETE FROM ${recordTable(kind.name)} WHERE seq = ?`, before.seq);
  return true;
}

/** Reads the stored record. Its data is read only if the kind has text or array indexes. */
function readExisting(
  connection: Connection,
  kind: KindLayout,
  { workspace, id }: { readonly workspace: number; readonly id: string },
): { readonly seq: number; readonly closed: number; readonly size: number; readonly data?: RecordData } | undefined {
  const isIndexed = kind.text.length > 0 || arrayFields(kind).length > 0;
  const found = connection.one(
    `SELECT seq, closed, octet_length(data) AS size${isIndexed ? ", data" : ""} FROM ${recordTable(kind.name)} WHERE workspace = ? AND id = ?`,
    workspace,
    id,
  );
  if (found === undefined) return undefined;
  const known = { seq: Number(found["seq"]), closed: Number(found["closed"]), size: Number(found["size"]) };
  return { ...known, ...(isIndexed && { data: parseStored(found["data"]) as RecordData }) };
}

function takeGeneration(connection: Connection, imported: number | undefined): number {
  if (imported !== undefined) {
    connection.run("UPDATE toolpacks SET generation = max(generation, ?)", imported);
    return imported;
  }
  connection.run("UPDATE toolpacks SET generation = generation + 1");
  return readGeneration(connection);
}

function workspaceNumber(connection: Connection, name: string): number {
  const known = connection.one("SELECT number FROM workspace WHERE name = ?", name);
  const row = known ?? connection.one("INSERT INTO workspace (name) VALUES (?) RETURNING number", name);
  return Number(row?.["number"]);
}

function remember(connection: Connection, { workspace, id, request, answer }: Operation): void {
  const generation = readGeneration(connection);
  removeOperations(connection, generation - rememberedGenerations);
  const number = workspaceNumber(connection, workspace);
  const json = JSON.stringify(answer);
  addBytes(connection, number, Buffer.byteLength(json));
  connection.run(
    "INSERT INTO operation (workspace, id, generation, request, answer) VALUES (?, ?, ?, ?, ?)",
    number,
    id,
    generation,
    request,
    json,
  );
}

function removeOperations(connection: Connection, before: number): void {
  const forgotten = connection.all(
    "SELECT workspace, sum(octet_length(answer)) AS size FROM operation WHERE generation < ? GROUP BY workspace",
    before,
  );
  if (forgotten.length === 0) return;
  for (const { workspace, size } of forgotten) addBytes(connection, Number(workspace), -Number(size));
  connection.run("DELETE FROM operation WHERE generation < ?", before);
}

function addBytes(connection: Connection, workspace: number, count: number): void {
  connection.run("UPDATE workspace SET bytes = bytes + ? WHERE number = ?", count, workspace);
}
