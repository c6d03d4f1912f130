import type { FindResult } from "@toolpacks/core/store";

/** A page of rows without its total. */
export type FoundPage = Pick<FindResult, "rows" | "resume">;
