export { prompt } from "./prompt-kind.ts";
export { prompts } from "./prompts.ts";
