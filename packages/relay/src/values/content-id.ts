import { createHmac } from "node:crypto";
import { encodeValueId, type ValueInput } from "@toolpacks/store";

/** The id of a value: an HMAC of its content and type under the secret of its scope. */
export function contentId(
  secret: Uint8Array,
  bytes: Uint8Array,
  { mimeType, text }: Pick<ValueInput, "mimeType" | "text">,
): string {
  const hash = createHmac("sha256", secret).update(`${text ? "text" : "bytes"} ${mimeType}\0`);
  return encodeValueId(hash.update(bytes).digest());
}
