import { readFileSync } from "node:fs";
import type { Roots } from "@toolpacks/files";

/** Maximum size of a source file. Larger files are usually generated, and slow to parse. */
const maxBytes = 1024 * 1024;

/** Reads a source file inside the roots; undefined if it is too large, missing, unreadable or binary. */
export function readSource(roots: Roots, path: string): string | undefined {
  return roots.openFound(path, (descriptor, { size }) => {
    if (size > maxBytes) return undefined;
    const bytes = readFileSync(descriptor);
    return bytes.includes(0) ? undefined : bytes.toString();
  });
}
