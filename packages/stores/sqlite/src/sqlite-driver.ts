import type { StoreDriver } from "@toolpacks/core/store";

/** A driver that can also back up the file during writes. */
export interface SqliteDriver extends StoreDriver {
  backup(file: string): Promise<void>;
}
