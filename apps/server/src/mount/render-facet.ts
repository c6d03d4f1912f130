import { snakeCase, toolPrefix } from "@toolpacks/upstream/config";
import { bundledPacks } from "./bundled-packs.ts";

/** Renders the key and the facet of a server, with the pack whose name the server cannot have: `memory → mcp-memory (the pack memory has that name)`. */
export function renderFacet(key: string, facet: string): string {
  if (key === facet) return facet;
  const pack = bundledPacks.find(({ name, prefix }) => name === key || prefix === toolPrefix(snakeCase(key)));
  return `${key} → ${facet}${pack === undefined ? "" : ` (the pack ${pack.name} has that name)`}`;
}
