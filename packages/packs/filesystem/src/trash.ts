import { randomUUID } from "node:crypto";
import { cutName } from "@toolpacks/files";

/** Maximum length of the original name in bytes. File systems allow 255; time, id and a suffix need the rest. */
const maxNameBytes = 200;

/** Creates a unique name in the trash that sorts by time. */
export function nameInTrash(name: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  return `${time}-${randomUUID().slice(0, 6)}-${cutName(name, maxNameBytes)}`;
}
