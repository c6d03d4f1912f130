/** The public function: a store in PostgreSQL. The driver is loaded at the first use. */
import type { OwnedStore } from "@toolpacks/core";
import { withDeadline } from "./deadline.ts";
import { createStore, type StoreOptions } from "@toolpacks/store";

export interface PostgresOptions extends StoreOptions {
  /** The schema of the store's tables, which is created if it does not exist. Default `toolpacks`. */
  readonly schema?: string;
  /** Maximum number of connections, without the one for watching. Default 10. */
  readonly connections?: number;
  /**
   * Total time in ms that a call waits for a connection, for other writers, and for a server that restarts or does not answer. Then it fails with
   * `unavailable`. Default 10,000.
   */
  readonly timeoutMs?: number;
}

const schemaPattern = /^[a-z_][a-z0-9_]{0,39}$/;

/**
 * A store in PostgreSQL 14 or newer, which several machines can share. It connects at the first use.
 *
 * @param address `postgres://user:password@host:port/database`
 * @throws Error when the schema is not a lower-case name
 */
export function postgres(address: string, options: PostgresOptions = {}): OwnedStore {
  const { schema = "toolpacks", connections = 10, timeoutMs = 10_000, ...others } = options;
  if (!schemaPattern.test(schema))
    throw new Error(`schema: expected lower-case letters, digits and _, received ${schema}`);
  return createStore(
    async () => (await import("./postgres-driver.ts")).openPostgres({ address, schema, connections, timeoutMs }),
    {
      meaning: [async () => (await import("@toolpacks/meaning")).wordMeaning()],
      ...others,
      aroundCall: (call) => withDeadline(timeoutMs, call),
    },
  );
}
