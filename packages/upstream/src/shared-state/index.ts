export { openSecretBox } from "./secret-box.ts";
export { createStoredState } from "./stored-state.ts";
