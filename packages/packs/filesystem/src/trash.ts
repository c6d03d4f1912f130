import { randomUUID } from "node:crypto";

/** File systems take 255 bytes; time, id and a suffix need the rest. */
const maxNameBytes = 200;

/** The start of a name, in whole characters, of at most so many bytes. */
export function cutName(name: string, maxBytes: number): string {
  let cut = "";
  for (const character of name) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** A name in the trash that sorts by time and meets no other. */
export function nameInTrash(name: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  return `${time}-${randomUUID().slice(0, 6)}-${cutName(name, maxNameBytes)}`;
}
