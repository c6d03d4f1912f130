import type { Document } from "./document-slots.ts";
import type { FieldIndex } from "./field-index.ts";
import type { Concept } from "./query.ts";
import { meaningful, stemTerm } from "./terms.ts";
import { tuning } from "./tuning.ts";
import { identifierWords } from "./words.ts";

/** A pack that a query may mention. */
interface PackName {
  readonly stems: readonly number[];
  readonly slots: readonly number[];
  /** The share of the tools with the rarest of its name's words that are its own: 1 when nobody else says it. */
  readonly distinctive: number;
}

/** The packs of a catalog by name. */
export interface PackMention {
  /** Raises the tools of every pack whose whole name the query says, as far as the name is distinctive. */
  raise(scores: Float64Array, concepts: readonly Concept[]): void;
}

/** What servers call themselves whatever they do; a pack of such words alone cannot be mentioned. */
const generic = new Set(["api", "apis", "mcp", "server", "servers", "service", "tool", "tools"]);

export function createPackMention(documents: readonly Document[], index: FieldIndex): PackMention {
  const packs = packNames(documents, index);
  return {
    raise(scores, concepts) {
      const said = new Set(concepts.map(({ stem }) => stem));
      for (const { stems, slots, distinctive } of packs) {
        if (!stems.every((stem) => said.has(stem))) continue;
        for (const slot of slots) scores[slot] = (scores[slot] ?? 0) * (1 + tuning.packMention * distinctive);
      }
    },
  };
}

function packNames(documents: readonly Document[], index: FieldIndex): readonly PackName[] {
  const slotsByPack = new Map<string, number[]>();
  for (const { slot, text } of documents) {
    if (text.pack === undefined) continue;
    const slots = slotsByPack.get(text.pack);
    if (slots === undefined) slotsByPack.set(text.pack, [slot]);
    else slots.push(slot);
  }
  return [...slotsByPack].flatMap(([pack, slots]) => {
    const words = meaningful(identifierWords(pack)).filter((word) => !generic.has(word));
    if (words.length === 0) return [];
    const stems = words.flatMap((word) => index.lexicon.find(stemTerm(word)) ?? []);
    const sayers = stems.map((stem) => index.postings.frequency(stem));
    return [{ stems, slots, distinctive: slots.length / Math.max(slots.length, Math.min(...sayers)) }];
  });
}
