import { isValueId } from "../values/value-id.ts";

/** Whether a resource is one of ours and not the server's, which may have an `internal://` of its own. */
export function isValueUri(uri: unknown): uri is string {
  if (typeof uri !== "string") return false;
  const [, scheme, id = ""] = /^(relay|internal):\/\/([^#/]*)/.exec(uri) ?? [];
  return scheme === "relay" || (scheme === "internal" && isValueId(id));
}
