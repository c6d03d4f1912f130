import type { SgNode } from "@ast-grep/wasm";
import type { ObjectLiteral, ObjectRules } from "./definitions/definition.ts";

/**
 * Follows the object literals around nodes that are visited in source order. It looks from a node to its children only: to find a parent, the parser
 * walks down from the root.
 *
 * @returns a function that visits a node and returns the innermost object literal around it
 */
export function trackObjects({ literal, holders }: ObjectRules) {
  const open: (ObjectLiteral & { readonly end: number })[] = [];
  const uses = new Map<number, ObjectLiteral["use"]>();
  return (node: SgNode, kind: string, { start, end }: { start: number; end: number }): ObjectLiteral | undefined => {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= start) open.pop();
    const around = open.at(-1);
    const held = holders[kind]?.(node);
    if (held !== undefined) uses.set(held.node.range().start.index, held.use);
    if (kind === literal) open.push({ start, end, use: uses.get(start) });
    return around;
  };
}

/** The kinds of nodes that a tracker must visit. */
export function trackedKinds({ literal, holders }: ObjectRules): readonly string[] {
  return [literal, ...Object.keys(holders)];
}
