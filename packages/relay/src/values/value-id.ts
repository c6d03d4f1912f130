import { createHmac, type Hmac } from "node:crypto";
import type { RelayValueInput } from "./relay-values.ts";

/** Length of an id: 100 bits in base 32. Takes fewer o200k tokens than hexadecimal. */
const idLength = 20;
const digits = "abcdefghijklmnopqrstuvwxyz234567";

export function isValueId(text: string): boolean {
  return text.length === idLength && /^[a-z2-7]+$/.test(text);
}

/** Creates the hash of an id. Feed it with the value's bytes in order. */
export function hashValue(secret: Uint8Array, { mimeType, text }: Pick<RelayValueInput, "mimeType" | "text">): Hmac {
  return createHmac("sha256", secret).update(`${text ? "text" : "bytes"} ${mimeType}\0`);
}

/** The id of a value whose bytes were fed to the hash. */
export function valueId(hash: Hmac): string {
  const bits = BigInt(`0x${hash.digest("hex")}`) >> BigInt(256 - idLength * 5);
  return Array.from(
    { length: idLength },
    (_, at) => digits[Number((bits >> BigInt(5 * (idLength - 1 - at))) & 31n)] ?? "",
  ).join("");
}
