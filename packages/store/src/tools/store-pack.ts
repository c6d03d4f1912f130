import { type Compaction, type Pack, definePack, type Kind, type Store } from "@toolpacks/core";
import { createKindDirectory } from "./kind-directory.ts";
import { storeClose } from "./store-close.ts";
import { storePut } from "./store-put.ts";
import { storeQuery } from "./store-query.ts";

export interface StorePackOptions {
  readonly store: Store;
  readonly kinds: readonly Kind[];
  readonly compaction?: Compaction;
}

/** The pack with `store_put`, `store_query` and `store_close`. It is in the core facet. */
export function storePack({ store, kinds, compaction = {} }: StorePackOptions): Pack {
  const tools = {
    store,
    kinds: createKindDirectory(kinds),
    compaction: { over: compaction.over ?? 20, show: compaction.show ?? 5 },
  };
  return definePack({
    name: "store",
    description: "Records of every kind that a pack keeps: put, query, close.",
    core: true,
    budget: 330,
    tools: () => [storePut(tools), storeQuery(tools), storeClose(tools)],
  })();
}
