import { rmSync } from "node:fs";
import { makePrivateFile, tightenFile } from "@toolpacks/core/private-files";
import type { DriverReader } from "@toolpacks/core/store";
import { createReader } from "./connection-reader.ts";
import { openConnection, type Connection } from "./connection.ts";
import { identifyFile, type FileIdentity } from "./file-identity.ts";
import { readGeneration } from "./find.ts";
import { checkOwner, isCurrent, migrate, readStoreId } from "./migrations.ts";
import { sqliteError } from "./sqlite-error.ts";
import { createWriter, type Writer } from "./writer.ts";

/**
 * The connections to one file. Reads and writes have a connection each, so that a read between the awaits of a transaction does not see
 * what is not committed.
 */
export interface OpenedFile {
  readonly reading: Connection;
  readonly writing: Connection;
  /** Through `reading`. */
  readonly reader: DriverReader;
  /** Through `writing`, for a transaction. */
  readonly inside: DriverReader;
  readonly writer: Writer;
  readonly identity: FileIdentity;
  close(): void;
}

/** @throws ToolError `unavailable` with the cause */
export async function openFile(file: string, busyTimeoutMs: number): Promise<OpenedFile> {
  try {
    makePrivateFile(file);
    for (const side of ["-wal", "-shm"]) tightenFile(`${file}${side}`);
  } catch (error) {
    throw sqliteError(error);
  }
  const writing = openConnection(file);
  const writer = createWriter(writing, busyTimeoutMs);
  try {
    // Another process that is making the file holds a lock against readers too while it does.
    let isMade = false;
    await writer.outside(() => {
      checkOwner(writing);
      isMade = isCurrent(writing);
    });
    if (!isMade) await create(writing, writer);
    const reading = openConnection(file, { readOnly: true });
    // The first read makes SQLite open its log.
    readGeneration(reading);
    // The tables of a new store are in its log alone, and an overwritten file is known by them.
    if (!isMade) writing.exec("PRAGMA wal_checkpoint(PASSIVE)");
    const identity = identifyFile(file, readStoreId(writing));
    return {
      reading,
      writing,
      reader: createReader(reading),
      inside: createReader(writing),
      writer,
      identity,
      close() {
        reading.close();
        writing.close();
      },
    };
  } catch (error) {
    writing.close();
    throw error;
  }
}

/**
 * Lets go of a file that is not at the path any more. What its log holds goes into the file, wherever it was moved, and the log is removed:
 * SQLite would take it for the log of the file that is at the path now.
 */
export async function leaveReplaced({ reading, writing, writer, identity }: OpenedFile): Promise<void> {
  reading.close();
  copyLog(writing);
  // Under the lock of the old file: another process that leaves it removes nothing that a third one has made since.
  await writer.transaction(async () => {
    for (const place of identity.ownSideFiles()) rmSync(place, { force: true });
  });
  writing.close();
}

/**
 * Copies the log, whose file was deleted, into the store, and closes it. Only the one process that has the file open can do that and
 * begin a new log.
 *
 * @returns false when another process has the file open too
 */
export function leaveDeletedLog({ reading, writing }: OpenedFile): boolean {
  copyLog(writing);
  reading.close();
  try {
    writing.exec("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL");
  } catch {
    return false;
  }
  writing.close();
  return true;
}

function copyLog(writing: Connection): void {
  writing.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Another process may be doing the same: what is to be done is looked at again under the write lock. */
async function create(connection: Connection, writer: Writer): Promise<void> {
  await writer.outside(() => connection.exec("PRAGMA journal_mode = WAL"));
  await writer.transaction(async () => migrate(connection));
}
