import { z } from "zod";
import { isObject } from "@toolpacks/schema";
import type { Store } from "./store.ts";

/** Whether a value is a store. A store of another copy of core counts, so the check is structural. */
export function isStore(value: unknown): value is Store {
  return isObject(value) && "transaction" in value;
}

/** Schema of the option `store` of a pack. */
export const storeSchema = z.custom<Store>(isStore, { error: "expected a store" });
