/** The driver of a store in a PostgreSQL database. */
import type { StoreDriver } from "@toolpacks/store";
import { openDatabase, type DatabaseOptions } from "./database.ts";
import { hasKindTables, readLayouts } from "./kind-tables.ts";
import { createListener } from "./listener.ts";
import { migrate } from "./migrations.ts";
import { createReader } from "./reader.ts";
import { check, scan } from "./whole-store.ts";
import { createWriter } from "./writer.ts";

/**
 * Connects to a database, and creates the store's schema if it does not exist.
 *
 * @throws ToolError `unavailable` with the cause
 */
export async function openPostgres(options: DatabaseOptions): Promise<StoreDriver> {
  const { schema, timeoutMs } = options;
  const database = openDatabase(options);
  try {
    await migrate(database, schema);
  } catch (error) {
    await database.end();
    throw error;
  }
  const channel = `toolpacks_${schema}`;
  const listener = createListener(database, channel);
  const writer = createWriter(database, { channel, timeoutMs });
  return {
    ...createReader(database),
    async ensureKind(kind) {
      if (await hasKindTables(database, kind)) return;
      await writer.transaction(async (writing) => writing.ensureKind(kind));
    },
    transaction: (work) => writer.transaction(work),
    watch: (callback) => listener.watch(callback),
    kinds: () => readLayouts(database),
    scan: () => scan(database),
    check: () => check(database, schema),
    async end() {
      await writer.idle();
      await listener.end();
      await database.end();
    },
  };
}
