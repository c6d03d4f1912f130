import { isObject } from "@toolpacks/core";
import { z } from "zod";

/** Accepts `agent` for `pack`, as in older prompts. Schemas show only `pack`. */
export function packNamed<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => {
    if (!isObject(value) || !("agent" in value) || "pack" in value) return value;
    const { agent, ...rest } = value;
    return { pack: agent, ...rest };
  }, schema);
}
