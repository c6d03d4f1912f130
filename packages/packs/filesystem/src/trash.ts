import { randomUUID } from "node:crypto";

/** The folder inside each root that deleted entries are moved to. Lists do not show it. */
export const trashName = ".trash";

/** A name in the trash that sorts by time and meets no other. */
export function nameInTrash(name: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  return `${time}-${randomUUID().slice(0, 6)}-${name.slice(0, 150)}`;
}
