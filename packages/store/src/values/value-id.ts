import { randomBytes } from "node:crypto";

/** Length of an id: 100 bits in base 32. Takes fewer o200k tokens than hexadecimal. */
const idLength = 20;
const digits = "abcdefghijklmnopqrstuvwxyz234567";

export function isValueId(text: string): boolean {
  return text.length === idLength && /^[a-z2-7]+$/.test(text);
}

/** A random id. It cannot be guessed. */
export function newValueId(): string {
  return encodeValueId(randomBytes(13));
}

/** The id of a digest: its first 100 bits. */
export function encodeValueId(digest: Uint8Array): string {
  const bits = BigInt(`0x${Buffer.from(digest).toString("hex")}`) >> BigInt(digest.length * 8 - idLength * 5);
  return Array.from(
    { length: idLength },
    (_, at) => digits[Number((bits >> BigInt(5 * (idLength - 1 - at))) & 31n)] ?? "",
  ).join("");
}
