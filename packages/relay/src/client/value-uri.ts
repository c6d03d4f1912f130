import { handleIn } from "@toolpacks/core";

/** Whether a resource is one of ours and not the server's. */
export function isValueUri(uri: unknown): uri is string {
  return typeof uri === "string" && handleIn(uri) !== undefined;
}
