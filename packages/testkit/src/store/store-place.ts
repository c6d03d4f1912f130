import type { OwnedStore, Store } from "@toolpacks/core";

/** Data of its own, that stores may be opened on. */
export interface StorePlace {
  /** Opens it, as another process would: two stores of one place share its records and nothing else. */
  open(options?: {
    readonly workspace?: string | (() => string);
    readonly maxWorkspaceBytes?: number | false;
  }): OwnedStore;
  /** Removes the data. Every store is ended before. */
  remove(): Promise<void>;
}

/** Makes an empty place. */
export type CreatePlace = () => Promise<StorePlace>;

/** What each group of tests gets. */
export interface StoreUnderTest {
  /** A store that looks at a workspace nobody used before. */
  readonly fresh: () => Store;
  readonly create: CreatePlace;
}
