import { defineKind } from "@toolpacks/core";
import { z } from "zod";

/** How often an observation was recalled. Its id is the observation's, which stays as it is when somebody reads it. */
export const recallCount = defineKind({
  name: "recall_count",
  description: "How often an observation was recalled; kept by memory_recall.",
  schema: () => z.object({ count: z.int().min(1) }),
});
