/** The open file of a store: its connections, and the refusal of calls after another file has taken its place. */
import { realpathSync, rmSync, statSync } from "node:fs";
import { ToolError } from "@toolpacks/core";
import { makePrivateFile, tightenFile } from "@toolpacks/files";
import type { DriverReader } from "@toolpacks/store";
import pLimit from "p-limit";
import { openConnection, type Connection } from "./connection.ts";
import { checkChangedSchema, checkOwner, isCurrent, migrate } from "./migrations.ts";
import { createReader, readGeneration } from "./reader.ts";
import { sqliteError } from "./sqlite-error.ts";
import { createWriter, type Writer } from "./transaction.ts";

/** The connections to a file. Reads and writes use different ones, so that a read during a transaction does not see uncommitted writes. */
interface Connections {
  readonly reading: Connection;
  readonly writing: Connection;
  /** Reads on the connection `reading`. */
  readonly reader: DriverReader;
  /** Reads on the connection `writing`, inside a transaction. */
  readonly inside: DriverReader;
  readonly writer: Writer;
}

export interface OpenFile {
  /** @throws ToolError `unavailable` when the file is no longer at its path */
  read<T>(work: (connections: Connections) => T | Promise<T>): Promise<T>;
  /**
   * Runs a write. Only one runs at a time. After a write that found other files at the paths, every call is refused.
   *
   * @throws ToolError `unavailable` when the file, its `-wal` or its `-shm` was deleted or replaced before the write was committed
   */
  write<T>(work: (connections: Connections) => Promise<T>): Promise<T>;
  /** Waits for running writes, and closes the file. */
  end(): Promise<void>;
}

/** @throws ToolError `unavailable` with the cause */
export async function openFile(file: string, busyTimeoutMs: number): Promise<OpenFile> {
  const connections = await connect(file, busyTimeoutMs);
  const paths = identifyPaths(file);
  const queue = pLimit(1);
  let lost: ToolError | undefined;
  const leave = () => {
    // Another program's log can belong to this file: to copy this process's log into it would damage it.
    if (paths.isMoved() || !paths.hasForeignLog()) copyLog(connections.writing);
    if (paths.isMoved()) paths.removeLog();
  };
  const refuseChanged = (hint: string) => {
    if (lost === undefined && paths.isChanged()) {
      lost = changedError(file, hint);
      leave();
    }
    if (lost !== undefined) throw lost;
  };
  return {
    async read(work) {
      if (lost !== undefined || paths.isMoved()) throw lost ?? changedError(file, restartHint);
      checkChangedSchema(connections.reading);
      return work(connections);
    },
    write: (work) =>
      queue(async () => {
        refuseChanged(restartHint);
        const result = await work(connections);
        refuseChanged(`This write is not in the file that is there now. ${restartHint}`);
        return result;
      }),
    end: () =>
      queue(() => {
        if (lost === undefined && paths.isChanged()) leave();
        connections.reading.close();
        connections.writing.close();
      }),
  };
}

const restartHint = "Stop every program that uses the store, and start again.";

function changedError(file: string, hint: string): ToolError {
  const message = `the store: the file ${file}, or its -wal or -shm, was deleted or replaced while it was open`;
  return new ToolError("unavailable", message, hint);
}

/** Tells by their inodes whether the files at the paths of a store are still those that are open. */
function identifyPaths(file: string) {
  const main = inodeAt(file);
  // SQLite creates the log next to the target of a link.
  const real = realpathSync(file);
  const sides = [`${real}-wal`, `${real}-shm`].map((place) => ({ place, inode: inodeAt(place) }));
  const isMoved = () => inodeAt(file) !== main;
  return {
    isMoved,
    isChanged: () => isMoved() || sides.some(({ place, inode }) => inodeAt(place) !== inode),
    hasForeignLog: () => sides.some(({ place, inode }) => ![inode, undefined].includes(inodeAt(place))),
    /** Removes the log of the open file. Otherwise SQLite would apply it to another file at the path. */
    removeLog() {
      for (const { place, inode } of sides) if (inodeAt(place) === inode) rmSync(place, { force: true });
    },
  };
}

/** The device and inode of a file. Undefined if there is none, or its folder can no longer be accessed. */
function inodeAt(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  } catch {
    return undefined;
  }
}

function copyLog(writing: Connection): void {
  try {
    writing.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The file is refused anyway.
  }
}

async function connect(file: string, busyTimeoutMs: number): Promise<Connections> {
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
    return { reading, writing, reader: createReader(reading), inside: createReader(writing), writer };
  } catch (error) {
    writing.close();
    throw error;
  }
}

/** Creates or migrates the tables. Another process may do the same, so `migrate` checks again under the write lock. */
async function create(connection: Connection, writer: Writer): Promise<void> {
  await writer.outside(() => connection.exec("PRAGMA journal_mode = WAL"));
  await writer.transaction(async () => migrate(connection));
}
