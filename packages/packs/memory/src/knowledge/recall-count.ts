import { defineKind } from "@toolpacks/core";
import { z } from "zod";

/** How often an observation was recalled. It has the observation's id. It is a separate record, so that reading changes no observation. */
export const recallCount = defineKind({
  name: "recall_count",
  description: "How often an observation was recalled; kept by memory_recall.",
  schema: () => z.object({ count: z.int().min(1) }),
});
