import type { OwnedStore } from "@toolpacks/core";
import { withDeadline } from "./deadline.ts";
import { createStore, type StoreOptions } from "@toolpacks/core/store";

export interface PostgresOptions extends StoreOptions {
  /** The schema that holds the store's tables, which is made when it is not there. Default `toolpacks`. */
  readonly schema?: string;
  /** The most connections at once, besides one for watching. Default 10. */
  readonly connections?: number;
  /**
   * Milliseconds that a call waits, in all, for a connection, for other writers, and for a server that restarts or does not answer, before it is
   * `unavailable`. Default 10,000.
   */
  readonly timeoutMs?: number;
  /** Bytes that the records of one workspace may take as JSON; a write beyond is `too_large`. Default 1 GiB; false: no bound. */
  readonly maxWorkspaceBytes?: number | false;
}

const schemaPattern = /^[a-z_][a-z0-9_]{0,39}$/;

/**
 * A store in PostgreSQL 14 or newer, for several machines. It is connected to at the first use.
 *
 * @param address `postgres://user:password@host:port/database`
 * @throws Error when the schema is no plain lower-case name
 */
export function postgres(address: string, options: PostgresOptions = {}): OwnedStore {
  const { schema = "toolpacks", connections = 10, timeoutMs = 10_000, ...storeOptions } = options;
  if (!schemaPattern.test(schema))
    throw new Error(`schema: expected lower-case letters, digits and _, received ${schema}`);
  return createStore(
    async () => (await import("./postgres-driver.ts")).openPostgres({ address, schema, connections, timeoutMs }),
    { ...storeOptions, aroundCall: (call) => withDeadline(timeoutMs, call) },
  );
}
