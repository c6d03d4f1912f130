import { findNodeAtLocation, parseTree } from "jsonc-parser";
import type { Locate } from "./locate-key.ts";

export function locateJsonc(text: string): Locate {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return (at) => {
    for (let length = at.length; length > 0; length -= 1) {
      const node = root && findNodeAtLocation(root, at.slice(0, length) as (string | number)[]);
      const owner = node?.parent?.type === "property" ? node.parent : node;
      if (owner !== undefined) return owner.offset;
    }
    return undefined;
  };
}
