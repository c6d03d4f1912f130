import type { SgNode } from "@ast-grep/wasm";
import type { ObjectRules } from "./definitions/definition.ts";

/**
 * Follows the object literals around nodes that are visited in source order. It looks from a node to its children only: to find a parent, the parser
 * walks down from the root.
 *
 * @returns a function that visits a node, and returns whether the innermost object literal around it is held: returned, or the value of a variable
 */
export function trackObjects({ literal, holders }: ObjectRules) {
  const open: { readonly isHeld: boolean; readonly end: number }[] = [];
  const held = new Set<number>();
  return (node: SgNode, kind: string, { start, end }: { start: number; end: number }): boolean => {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= start) open.pop();
    const isHeld = open.at(-1)?.isHeld ?? false;
    const object = holders[kind]?.(node);
    if (object !== undefined) held.add(object.range().start.index);
    if (kind === literal) open.push({ isHeld: held.has(start), end });
    return isHeld;
  };
}
