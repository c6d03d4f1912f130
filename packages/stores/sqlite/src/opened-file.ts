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
 * The connections to one file. Reads and writes use different connections, so that a read during a transaction does not see uncommitted writes.
 */
export interface OpenedFile {
  readonly reading: Connection;
  readonly writing: Connection;
  /** Reads on the connection `reading`. */
  readonly reader: DriverReader;
  /** Reads on the connection `writing`, inside a transaction. */
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
    // Another process that is creating the file also locks out readers.
    let isCurrentVersion = false;
    await writer.outside(() => {
      checkOwner(writing);
      isCurrentVersion = isCurrent(writing);
    });
    if (!isCurrentVersion) await create(writing, writer);
    const reading = openConnection(file, { readOnly: true });
    // The first read makes SQLite open its log.
    readGeneration(reading);
    // The tables of a new store are only in its log. They must be in the file to detect an overwritten file.
    if (!isCurrentVersion) writing.exec("PRAGMA wal_checkpoint(PASSIVE)");
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
 * Closes a file that is no longer at the path. Its log is copied into it and removed. Otherwise SQLite would use the log for the new file at the
 * path.
 */
export async function closeReplaced({ reading, writing, writer, identity }: OpenedFile): Promise<void> {
  reading.close();
  copyLog(writing);
  // The lock of the old file prevents that two processes remove side files at the same time.
  await writer.transaction(async () => {
    for (const place of identity.ownSideFiles()) rmSync(place, { force: true });
  });
  writing.close();
}

/**
 * Copies a log whose file was deleted into the store, and closes the store. This is only possible if no other process has the file open.
 *
 * @returns false when another process has the file open too
 */
export function closeWithDeletedLog({ reading, writing }: OpenedFile): boolean {
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

/** Creates or migrates the tables. Another process may do the same, so `migrate` checks again under the write lock. */
async function create(connection: Connection, writer: Writer): Promise<void> {
  await writer.outside(() => connection.exec("PRAGMA journal_mode = WAL"));
  await writer.transaction(async () => migrate(connection));
}
