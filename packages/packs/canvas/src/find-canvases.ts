import { readdir } from "node:fs/promises";
import { isInside, openDirectory, unlistedNames, type PinnedDirectory, type Roots } from "@toolpacks/files";

const maxFound = 200;
const maxWalked = 50_000;
const maxDepth = 32;

interface Walk {
  readonly root: string;
  readonly signal: AbortSignal;
  readonly found: string[];
  walked: number;
  isCut: boolean;
}

/** Lists the canvases in a folder and the folders below it, in the order of names. Links to folders are not followed. */
export function findCanvases(
  roots: Roots,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly canvases: string[]; readonly more?: string }> {
  return roots.openDirectory(path, async (directory, { root, shown }) => {
    const walk: Walk = { root: root.path, signal, found: [], walked: 0, isCut: false };
    await visit(walk, directory, { prefix: shown === "." ? "" : `${shown}/`, depth: maxDepth });
    return { path: shown, canvases: walk.found, ...(walk.isCut && { more: "there are more; give a path below" }) };
  });
}

async function visit(
  walk: Walk,
  directory: PinnedDirectory,
  { prefix, depth }: { readonly prefix: string; readonly depth: number },
): Promise<void> {
  const entries = await readdir(directory.path, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    walk.signal.throwIfAborted();
    if (unlistedNames.has(entry.name)) continue;
    walk.walked += 1;
    walk.isCut ||= walk.walked > maxWalked || walk.found.length >= maxFound || depth === 0;
    if (walk.isCut) return;
    if (entry.isFile() && entry.name.toLowerCase().endsWith(".canvas")) walk.found.push(prefix + entry.name);
    if (!entry.isDirectory()) continue;
    const inside = (real: string) => isInside(walk.root, real);
    const child = await openDirectory(directory.at(entry.name), inside).catch(() => undefined);
    if (child === undefined) continue;
    try {
      await visit(walk, child, { prefix: `${prefix}${entry.name}/`, depth: depth - 1 });
    } finally {
      await child.close();
    }
  }
}
