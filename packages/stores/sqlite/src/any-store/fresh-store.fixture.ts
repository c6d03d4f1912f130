/**
 * For tests of what `createStore` does whatever its driver is, which need one driver only: the author of another driver does not run them. What a driver must
 * do is in `storeContract`.
 */
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { onTestFinished } from "vitest";
import { sqlite, type SqliteOptions } from "../index.ts";
import { scratchFolder } from "../scratch-folder.fixture.ts";

/** Opens an empty store, which ends with the test. */
export function freshStore(options?: SqliteOptions): OwnedStore {
  const store = sqlite(path.join(scratchFolder(), "store.db"), options);
  onTestFinished(() => store.end());
  return store;
}
