import { ToolError, type OwnedStore } from "@toolpacks/core";
import { createStore, type StoreOptions } from "@toolpacks/core/store";
import type { SqliteDriver } from "./sqlite-driver.ts";

export interface SqliteOptions extends StoreOptions {
  /** Milliseconds that a write waits for other processes' writes before it is `unavailable`. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** Called when the file was opened. */
  readonly onOpen?: () => Promise<void>;
}

/** A store in a file. */
export interface SqliteStore extends OwnedStore {
  /**
   * Copies the store, as of one moment, into a new file while others write.
   *
   * @throws ToolError `conflict` when there is a file of that name
   */
  backup(file: string): Promise<void>;
}

/**
 * A store in one SQLite file, which is made when it is not there, with its folder. It is opened at the first use. Any number of processes
 * may share it; each write is on disk when it resolves.
 *
 * @example const store = sqlite("notes.db");
 */
export function sqlite(file: string, { busyTimeoutMs = 10_000, onOpen, ...options }: SqliteOptions = {}): SqliteStore {
  let opening: Promise<SqliteDriver> | undefined;
  const open = async () => {
    opening = import("./open-sqlite.ts").then(async ({ openSqlite }) => openSqlite(file, { busyTimeoutMs }));
    const driver = await opening;
    await onOpen?.();
    return driver;
  };
  const store = createStore(open, options);
  return Object.assign(store, {
    async backup(to: string) {
      const { existsSync } = await import("node:fs");
      if (existsSync(to)) throw new ToolError("conflict", `${to}: there is a file of that name`, "Name a new one.");
      // Opens it, if nothing has yet.
      await store.generation();
      await (await opening)?.backup(to);
    },
  });
}
