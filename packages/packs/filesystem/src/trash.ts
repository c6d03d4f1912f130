import { randomUUID } from "node:crypto";

/** Maximum length of the original name in bytes. File systems allow 255; time, id and a suffix need the rest. */
const maxNameBytes = 200;

/** Cuts a name to at most `maxBytes` bytes, without splitting a character. */
export function cutName(name: string, maxBytes: number): string {
  let cut = "";
  for (const character of name) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** Creates a unique name in the trash that sorts by time. */
export function nameInTrash(name: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  return `${time}-${randomUUID().slice(0, 6)}-${cutName(name, maxNameBytes)}`;
}
