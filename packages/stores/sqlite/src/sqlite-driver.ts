import type { StoreDriver } from "@toolpacks/core/store";

/** A driver that can also copy the file while it is written to. */
export interface SqliteDriver extends StoreDriver {
  backup(file: string): Promise<void>;
}
