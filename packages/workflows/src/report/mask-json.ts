import { mayHoldSecret, maskValue } from "@toolpacks/core";

/** Masks secrets in JSON. */
export function maskJson(json: string): string {
  return mayHoldSecret(json) ? JSON.stringify(maskValue(JSON.parse(json))) : json;
}
