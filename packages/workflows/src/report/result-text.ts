import { textOfResult } from "@toolpacks/expressions";

/** A text as it is, any other value as its single text or as JSON. */
export function resultText(result: unknown): string {
  return typeof result === "string" ? result : (textOfResult(result) ?? JSON.stringify(result));
}
