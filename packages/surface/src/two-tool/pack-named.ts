import { z } from "zod";

/** Takes `agent` for `pack`, as older prompts say it. Lists show `pack` alone. */
export function packNamed<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => {
    if (value === null || typeof value !== "object" || !("agent" in value) || "pack" in value) return value;
    const { agent, ...rest } = value;
    return { pack: agent, ...rest };
  }, schema);
}
