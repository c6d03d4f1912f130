/** The readiness of an issue before it is derived. */
export const initialReadiness = { state: "other", from: "", blockers: [], under: [] };
