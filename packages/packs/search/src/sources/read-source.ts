import { readFileSync } from "node:fs";
import type { Roots } from "@toolpacks/core/roots";

/** Larger files are generated, and one takes a parser seconds. */
const maxBytes = 1024 * 1024;

/** Reads a source file inside the roots; undefined for one that is too large, gone, unreadable or no text. */
export function readSource(roots: Roots, path: string): string | undefined {
  return roots.openFound(path, (descriptor, { size }) => {
    if (size > maxBytes) return undefined;
    const bytes = readFileSync(descriptor);
    return bytes.includes(0) ? undefined : bytes.toString();
  });
}
