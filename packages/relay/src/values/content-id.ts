import { createHmac, type Hmac } from "node:crypto";
import { encodeValueId, type ValueInput } from "@toolpacks/store";

/** Creates the hash of a value's id. Feed it with the value's bytes in order. */
export function hashValue(secret: Uint8Array, { mimeType, text }: Pick<ValueInput, "mimeType" | "text">): Hmac {
  return createHmac("sha256", secret).update(`${text ? "text" : "bytes"} ${mimeType}\0`);
}

/** The id of a value whose bytes were fed to the hash. */
export function contentId(hash: Hmac): string {
  return encodeValueId(hash.digest());
}
