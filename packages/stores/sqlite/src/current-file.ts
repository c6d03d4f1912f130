/** The open file of a store: its connections, and what happens when another file takes its place. */
import { rmSync } from "node:fs";
import { ToolError } from "@toolpacks/core";
import { makePrivateFile, tightenFile } from "@toolpacks/files";
import type { DriverReader } from "@toolpacks/store";
import pLimit from "p-limit";
import { openConnection, type Connection } from "./connection.ts";
import { identifyFile, type FileChange, type FileIdentity } from "./file-identity.ts";
import { checkChangedSchema, checkOwner, isCurrent, migrate, readStoreId } from "./migrations.ts";
import { createReader, readGeneration } from "./reader.ts";
import { sqliteError } from "./sqlite-error.ts";
import { createWriter, type Writer } from "./transaction.ts";

/**
 * The file at a path. If the open file is replaced, the new file is opened. If this could lose an acknowledged write, reads and writes are rejected.
 */
export interface CurrentFile {
  /** @throws ToolError `unavailable` */
  read<T>(work: (file: OpenedFile) => T | Promise<T>): Promise<T>;
  /**
   * Runs a write. Only one runs at a time. Rejects if the file was no longer at the path when the write was committed.
   *
   * @throws ToolError `unavailable`
   */
  write<T>(work: (file: OpenedFile) => Promise<T>): Promise<T>;
  /** Waits for running writes, and closes the file. */
  end(): Promise<void>;
}

/** @param onReopen called with each file that is opened in place of another */
export async function openCurrentFile(
  file: string,
  busyTimeoutMs: number,
  onReopen: (file: OpenedFile) => Promise<void>,
): Promise<CurrentFile> {
  const queue = pLimit(1);
  let current: OpenedFile | undefined = await openFile(file, busyTimeoutMs);
  /** Set permanently when this process can no longer read and write safely. */
  let lost: ToolError | undefined;

  const refuse = (change: FileChange) => {
    const error = unavailable(file, change);
    if (change !== "deleted") lost = error;
    return error;
  };
  const reopen = async (replaced: OpenedFile, change: FileChange) => {
    if (change === "replaced") await closeReplaced(replaced);
    else if (change !== "log-deleted" || !closeWithDeletedLog(replaced)) throw refuse(change);
    current = undefined;
    const found = await openFile(file, busyTimeoutMs);
    await onReopen(found);
    current = found;
    return found;
  };

  const currentFile = async (): Promise<OpenedFile> => {
    if (lost !== undefined) throw lost;
    // An earlier attempt to open the new file failed.
    if (current === undefined) {
      const found = await openFile(file, busyTimeoutMs);
      await onReopen(found);
      return (current = found);
    }
    const change = await current.identity.change();
    return change === undefined ? current : reopen(current, change);
  };
  return {
    async read(readWork) {
      const work = (opened: OpenedFile) => {
        checkChangedSchema(opened.reading);
        return readWork(opened);
      };
      if (lost === undefined && current?.identity.isAtPath() === true) return work(current);
      // A read inside a transaction would wait for that transaction to end.
      if (queue.activeCount > 0) throw lost ?? unavailable(file, (await current?.identity.change()) ?? "replaced");
      return work(await queue(currentFile));
    },
    write: (work) =>
      queue(async () => {
        const used = await currentFile();
        const result = await work(used);
        const change = await used.identity.change();
        if (change === undefined) return result;
        throw notAcknowledged(file, change);
      }),
    end: () =>
      queue(() => {
        current?.close();
        current = undefined;
      }),
  };
}

const changeTexts: Readonly<Record<FileChange, string>> = {
  deleted: "was deleted while it was open",
  replaced: "was replaced while it was open",
  overwritten: "was overwritten or truncated while it was open",
  "log-deleted": "lost its -wal or -shm file while several programs had it open",
  "log-replaced": "got another -wal or -shm file while it was open",
};

const changeHints: Readonly<Record<FileChange, string>> = {
  deleted: "Put the file back, or restart this program to begin an empty store.",
  replaced: "Try again.",
  overwritten:
    "Stop every program that uses the store, delete its -wal and -shm files, restore the backup again, and start.",
  "log-deleted": "What was written before is in the file. Stop every program that uses the store, and start again.",
  "log-replaced": "Stop every program that uses the store, run `toolpacks doctor`, and start again.",
};

function unavailable(file: string, change: FileChange): ToolError {
  return new ToolError("unavailable", `the store: the file ${file} ${changeTexts[change]}`, changeHints[change]);
}

function notAcknowledged(file: string, change: FileChange): ToolError {
  const hint = `This write is not in the file that is there now. ${changeHints[change]}`;
  return new ToolError("unavailable", `the store: the file ${file} ${changeTexts[change]}`, hint);
}

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
async function openFile(file: string, busyTimeoutMs: number): Promise<OpenedFile> {
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
async function closeReplaced({ reading, writing, writer, identity }: OpenedFile): Promise<void> {
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
function closeWithDeletedLog({ reading, writing }: OpenedFile): boolean {
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
