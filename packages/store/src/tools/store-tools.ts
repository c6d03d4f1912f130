import { z } from "zod";
import { detail, type Compaction, type Kind, type Store } from "@toolpacks/core";
import { maxIdLength } from "../record-id.ts";
import { createKindDirectory, type KindDirectory } from "./kind-directory.ts";

/** The dependencies of the record tools. */
export interface StoreTools {
  readonly store: Store;
  readonly kinds: KindDirectory;
  readonly compaction: Required<Compaction>;
}

/** The tools' dependencies over a part of the kinds. */
export function onlyKinds(tools: StoreTools, isIncluded: (kind: Kind) => boolean): StoreTools {
  return { ...tools, kinds: createKindDirectory(tools.kinds.all.filter(isIncluded)) };
}

export const kindName = z.string().max(200).meta(detail("as tool_describe with store_put names them"));
export const recordId = z.string().min(1).max(maxIdLength).meta(detail("the record's"));
