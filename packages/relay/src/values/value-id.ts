import { createHmac, type Hmac } from "node:crypto";
import type { RelayValueInput } from "./relay-values.ts";

/** 100 bits in base 32: o200k takes 14 tokens for a handle with it, fewer than for the same bits in hexadecimal. */
const idLength = 20;
const digits = "abcdefghijklmnopqrstuvwxyz234567";

export function isValueId(text: string): boolean {
  return text.length === idLength && /^[a-z2-7]+$/.test(text);
}

/** An id in the making: fed with the value's bytes in order. */
export function hashValue(secret: Uint8Array, { mimeType, text }: Pick<RelayValueInput, "mimeType" | "text">): Hmac {
  return createHmac("sha256", secret).update(`${text ? "text" : "bytes"} ${mimeType}\0`);
}

/** The id, once the value has been fed. */
export function valueId(hash: Hmac): string {
  const bits = BigInt(`0x${hash.digest("hex")}`) >> BigInt(256 - idLength * 5);
  return Array.from(
    { length: idLength },
    (_, at) => digits[Number((bits >> BigInt(5 * (idLength - 1 - at))) & 31n)] ?? "",
  ).join("");
}
