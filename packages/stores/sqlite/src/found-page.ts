import type { Found } from "@toolpacks/core/store";

/** A page without its total. */
export type FoundPage = Pick<Found, "rows" | "resume">;
