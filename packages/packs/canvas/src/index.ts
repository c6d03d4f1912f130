export { canvas } from "./canvas.ts";
