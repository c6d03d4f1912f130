import type { FieldIndex } from "./field-index.ts";
import type { Concept } from "./query.ts";
import { meaningful, stemTerm } from "./terms.ts";
import { tuning } from "./tuning.ts";
import { identifierWords } from "./words.ts";

/** A pack that a query may mention. */
export interface PackName {
  readonly stems: readonly string[];
  readonly slots: readonly number[];
  /** The share of the tools with all of its name's words that are its own: 1 when nobody else says them. */
  readonly distinctive: number;
}

/** What servers call themselves whatever they do. */
const generic = new Set(["api", "apis", "mcp", "server", "servers", "service", "tool", "tools"]);

/** The packs by name, with the slots of their tools. A pack of generic words alone cannot be mentioned. */
export function packNames(slotsByPack: ReadonlyMap<string, readonly number[]>, index: FieldIndex): readonly PackName[] {
  return [...slotsByPack].flatMap(([pack, slots]) => {
    const words = meaningful(identifierWords(pack)).filter((word) => !generic.has(word));
    if (words.length === 0) return [];
    const stems = words.map(stemTerm);
    const sayers = stems.map((stem) => index.frequency(stem));
    return [{ stems, slots, distinctive: slots.length / Math.max(slots.length, Math.min(...sayers)) }];
  });
}

/** Raises the tools of every pack whose whole name the query says, as far as the name is distinctive. */
export function raiseMentioned(scores: Float64Array, packs: readonly PackName[], concepts: readonly Concept[]): void {
  const said = new Set(concepts.flatMap(({ stem }) => stem ?? []));
  for (const { stems, slots, distinctive } of packs) {
    if (!stems.every((stem) => said.has(stem))) continue;
    for (const slot of slots) scores[slot] = (scores[slot] ?? 0) * (1 + tuning.packMention * distinctive);
  }
}
