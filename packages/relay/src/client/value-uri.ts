import { isValueId } from "@toolpacks/store";

/** Whether a URI is a value of the relay. The server may have `internal://` URIs of its own. */
export function isValueUri(uri: unknown): uri is string {
  if (typeof uri !== "string") return false;
  const [, scheme, id = ""] = /^(relay|internal):\/\/([^#/]*)/.exec(uri) ?? [];
  return scheme === "relay" || (scheme === "internal" && isValueId(id));
}
