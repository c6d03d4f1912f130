import { walkFolder, type Roots } from "@toolpacks/files";

const maxFound = 200;
const maxDepth = 32;
const timeoutMs = 30_000;

/** Lists the canvases in a folder and the folders below it, in the order of names. Links to folders are not followed. */
export function findCanvases(
  roots: Roots,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly canvases: string[]; readonly more?: string }> {
  return walkFolder(roots, { path, depth: maxDepth, ignored: true, timeoutMs, signal }, async (walk) => {
    const canvases: string[] = [];
    for await (const { entry, path: found } of walk.entries()) {
      if (!entry.isFile() || !entry.name.toLowerCase().endsWith(".canvas")) continue;
      canvases.push(found);
      if (canvases.length > maxFound) break;
    }
    const isCut = canvases.length > maxFound || walk.stopped !== undefined || walk.isTooDeep;
    return {
      path: walk.shown,
      canvases: canvases.slice(0, maxFound),
      ...(isCut && { more: "there are more; give a path below" }),
    };
  });
}
