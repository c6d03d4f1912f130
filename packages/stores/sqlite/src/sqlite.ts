/** The public functions: a store in a SQLite file. The driver is loaded at the first use. */
import { ToolError, type OwnedStore } from "@toolpacks/core";
import { createStore, type StoreOptions } from "@toolpacks/store";
import type { SqliteDriver } from "./whole-file.ts";

export interface SqliteOptions extends StoreOptions {
  /** Timeout in ms for a write that waits for writes of other processes. Then it fails with `unavailable`. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** Called after the file is opened. */
  readonly onOpen?: () => Promise<void>;
}

/** A store in a file. */
export interface SqliteStore extends OwnedStore {
  /**
   * Copies the store in one consistent state into a new file, while others can write.
   *
   * @throws ToolError `conflict` when the file exists
   */
  backup(file: string): Promise<void>;
}

/**
 * A store in one SQLite file. The file and its folder are created if they do not exist. The file is opened at the first use. Any number of processes
 * can share it. Each write is on disk when it resolves.
 *
 * @example const store = sqlite("notes.db");
 */
export function sqlite(file: string, options: SqliteOptions = {}): SqliteStore {
  const { busyTimeoutMs = 10_000, onOpen, ...others } = options;
  let opening: Promise<SqliteDriver> | undefined;
  const open = async () => {
    opening = import("./sqlite-driver.ts").then(async ({ openSqlite }) => openSqlite(file, { busyTimeoutMs }));
    const driver = await opening;
    await onOpen?.();
    return driver;
  };
  const store = createStore(open, {
    meaning: [async () => (await import("@toolpacks/meaning")).wordMeaning()],
    ...others,
  });
  return Object.assign(store, {
    async backup(to: string) {
      const { statSync } = await import("node:fs");
      // An empty file is filled: a caller may have created it to keep its name or its permissions.
      const size = statSync(to, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0) throw new ToolError("conflict", `${to}: there is a file of that name`, "Name a new one.");
      // Open the store if it is not open yet.
      await store.generation();
      await (await opening)?.backup(to);
    },
  });
}
