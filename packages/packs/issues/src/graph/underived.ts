/** What is known of an issue of which nothing was derived yet. */
export const underived = { state: "other", from: "", blockers: [], under: [] };
