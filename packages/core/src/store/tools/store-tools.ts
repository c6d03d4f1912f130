import { z } from "zod";
import { detail } from "../../detail.ts";
import type { Compaction } from "../../list.ts";
import { maxIdLength } from "../record-id.ts";
import type { Store } from "../store.ts";
import type { KindDirectory } from "./kind-directory.ts";

/** The dependencies of the record tools. */
export interface StoreTools {
  readonly store: Store;
  readonly kinds: KindDirectory;
  readonly compaction: Required<Compaction>;
}

export const kindName = z.string().max(200).meta(detail("as tool_describe with store_put names them"));
export const recordId = z.string().min(1).max(maxIdLength).meta(detail("the record's"));
