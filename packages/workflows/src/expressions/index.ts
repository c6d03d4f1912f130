export { compileValue } from "./compile-value.ts";
