import type { FieldIndex } from "./field-index.ts";
import type { RaiseScores } from "./name-coverage.ts";
import { meaningful, stemTerm } from "./terms.ts";
import { tuning } from "./tuning.ts";
import { identifierWords } from "./words.ts";

/** The name of a pack, as a query may mention it. */
interface PackName {
  readonly stems: readonly number[];
  readonly slots: readonly number[];
  /** Of the tools that hold the rarest word of the name, the share that is in the pack: 1 when no other tool holds it. */
  readonly distinctive: number;
}

/** Words that say nothing about a server. A pack name of only such words cannot be mentioned. */
const genericWords = new Set(["api", "apis", "mcp", "server", "servers", "service", "tool", "tools"]);

/** Creates a function that raises the tools of each pack whose whole name is in the query, in proportion to how distinctive the name is. */
export function createPackMention(index: FieldIndex): RaiseScores {
  const packs = packNames(index);
  return (scores, concepts) => {
    const queryStems = new Set(concepts.map(({ stem }) => stem));
    for (const { stems, slots, distinctive } of packs) {
      if (!stems.every((stem) => queryStems.has(stem))) continue;
      for (const slot of slots) scores[slot] = (scores[slot] ?? 0) * (1 + tuning.packMention * distinctive);
    }
  };
}

function packNames({ documents, lexicon, postings }: FieldIndex): readonly PackName[] {
  const slotsByPack = Map.groupBy(documents.keys(), (slot) => documents[slot]?.text.pack ?? "");
  return [...slotsByPack].flatMap(([pack, slots]) => {
    const words = meaningful(identifierWords(pack)).filter((word) => !genericWords.has(word));
    if (words.length === 0) return [];
    const stems = words.flatMap((word) => lexicon.find(stemTerm(word)) ?? []);
    const frequencies = stems.map((stem) => postings.frequency(stem));
    return [{ stems, slots, distinctive: slots.length / Math.max(slots.length, Math.min(...frequencies)) }];
  });
}
