import type { OwnedStore, Store } from "@toolpacks/core";

/** An empty database of one test, on which stores can be opened. */
export interface StorePlace {
  /** Opens a store, like another process. Two stores share only the records. */
  open(options?: {
    readonly workspace?: string | (() => string);
    readonly maxWorkspaceBytes?: number | false;
  }): OwnedStore;
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
