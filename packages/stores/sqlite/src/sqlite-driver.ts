/** The driver of a store whose file can be written. A file that can only be read has `read-only-driver.ts`. */
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { makePrivateFolder } from "@toolpacks/files";
import { openConnection } from "./connection.ts";
import { hasKindTables, ensureKindTables, readLayouts } from "./kind-tables.ts";
import { checkChangedSchema } from "./migrations.ts";
import { openFile } from "./open-file.ts";
import { openReadOnly, unwritablePart } from "./read-only-driver.ts";
import { createTransaction } from "./transaction.ts";
import { watchFile } from "./watch-file.ts";
import { checkFile, copyFile, scanFile, type SqliteDriver } from "./whole-file.ts";

/**
 * Opens the file of a store, or creates it.
 *
 * @throws ToolError `unavailable` with the cause
 */
export async function openSqlite(address: string, { busyTimeoutMs }: { busyTimeoutMs: number }): Promise<SqliteDriver> {
  const file = path.resolve(address);
  const unwritable = unwritablePart(file);
  if (unwritable !== undefined) return openReadOnly(file, unwritable);
  makeFolder(path.dirname(file));
  const current = await openFile(file, busyTimeoutMs);
  const watch = watchFile(() => current.read(({ reader }) => reader.generation()));
  return {
    get: (kind, workspace, id) => current.read(({ reader }) => reader.get(kind, workspace, id)),
    find: (kind, plan) => current.read(({ reader }) => reader.find(kind, plan)),
    generation: () => current.read(({ reader }) => reader.generation()),
    workspaces: () => current.read(({ reader }) => reader.workspaces()),
    vectorSets: (kind) => current.read(({ reader }) => reader.vectorSets(kind)),
    rowsWithoutVector: (kind, range) => current.read(({ reader }) => reader.rowsWithoutVector(kind, range)),
    async ensureKind(kind) {
      if (await current.read(({ reading }) => hasKindTables(reading, kind))) return;
      await current.write(({ writing, writer }) =>
        writer.transaction(async () => {
          checkChangedSchema(writing);
          ensureKindTables(writing, kind);
        }),
      );
    },
    async transaction(work) {
      const result = await current.write(({ writing, inside, writer }) =>
        writer.transaction(() => {
          checkChangedSchema(writing);
          return work(createTransaction(writing, inside, writer));
        }),
      );
      await watch.poll();
      return result;
    },
    watch: (listener) => watch.watch(listener),
    kinds: () => current.read(({ reading }) => readLayouts(reading)),
    scan: () => scanFile(openConnection(file, { readOnly: true })),
    check: () => current.read(({ reading }) => checkFile(reading)),
    backup: (to) => current.read(({ reading }) => copyFile(reading, to)),
    async end() {
      watch.end();
      await current.end();
    },
  };
}

/** Creates the folder of a store. @throws ToolError `unavailable` naming the folder that cannot be created */
function makeFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    const { code = "unknown", path: place = folder } = error as NodeJS.ErrnoException;
    throw new ToolError(
      "unavailable",
      `the store: its folder ${place} cannot be made (${code})`,
      "Name another place.",
    );
  }
}
