import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { storeContract } from "@toolpacks/testkit";
import { sqlite } from "./sqlite.ts";

storeContract(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "store-sqlite-"));
  return {
    open: (options) => sqlite(path.join(folder, "store.db"), options),
    remove: async () => rmSync(folder, { recursive: true }),
  };
});
