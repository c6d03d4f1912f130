import { isObject } from "@toolpacks/core";

/** A result with a single text is shown as that text. */
export function resultText(result: unknown): string {
  if (isObject(result) && "text" in result && Object.keys(result).length === 1) {
    const { text } = result;
    if (typeof text === "string") return text;
  }
  return typeof result === "string" ? result : JSON.stringify(result);
}
