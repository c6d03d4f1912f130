import type { OwnedStore, Store } from "@toolpacks/core";
import type { StoreOptions } from "@toolpacks/store";
import { onTestFinished } from "vitest";

/** An empty database of one test, on which stores can be opened. */
export interface StorePlace {
  /** Opens a store, like another process. Two stores share only the records. */
  open(options?: Pick<StoreOptions, "workspace" | "maxWorkspaceBytes" | "meaning">): OwnedStore;
  /** Removes the data. All stores are ended before. */
  remove(): Promise<void>;
}

/** Creates an empty database for a test. */
export type CreatePlace = () => Promise<StorePlace>;

/** The argument of each group of tests. */
export interface StoreUnderTest {
  /** Creates a store in a new workspace. */
  readonly fresh: () => Store;
  readonly create: CreatePlace;
}

/** Creates an empty database for the running test. Returns the function that opens stores on it. They end with the test. */
export async function openPlace(create: CreatePlace): Promise<StorePlace["open"]> {
  const place = await create();
  const stores: OwnedStore[] = [];
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.end()));
    await place.remove();
  });
  return (options) => {
    const store = place.open(options);
    stores.push(store);
    return store;
  };
}
