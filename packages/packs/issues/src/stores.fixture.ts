import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";

/** A temporary database for a test, which other processes can open by its address. */
export interface TestDatabase {
  readonly address: string;
  open(workspace?: string): OwnedStore;
  remove(): Promise<void>;
}

export const databases: Readonly<Record<string, () => Promise<TestDatabase>>> = {
  async SQLite() {
    const folder = mkdtempSync(path.join(tmpdir(), "issues-"));
    const file = path.join(folder, "store.db");
    return {
      address: file,
      open: (workspace = "default") => sqlite(file, { workspace }),
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  async PostgreSQL() {
    const server = await createDatabase();
    return {
      address: server.address,
      open: (workspace = "default") => postgres(server.address, { workspace }),
      remove: () => server.remove(),
    };
  },
};
