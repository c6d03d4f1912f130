export { filesystem } from "./filesystem.ts";
