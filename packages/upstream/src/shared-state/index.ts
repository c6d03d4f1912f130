export { openSecretBox } from "./secret-box.ts";
export { lease, withLease } from "./store-lease.ts";
export { createStoredState } from "./stored-state.ts";
