export { minilm, type MinilmOptions } from "./minilm.ts";
