import { createFieldIndex, type FieldIndex } from "./field-index.ts";
import type { Searchable } from "./searchable.ts";
import { nameStems } from "./tool-terms.ts";

/** A tool in the index. */
export interface Document {
  readonly slot: number;
  readonly text: Searchable;
  /** The stems of its name, without duplicates. */
  readonly name: readonly number[];
}

/** Keeps the index up to date with the catalog. */
export interface DocumentSlots {
  readonly index: FieldIndex;
  /** Replaces the catalog. Only tools whose text has changed are analysed. */
  update(catalog: readonly Searchable[]): readonly Document[];
}

/** Number of analyses after which the index is rebuilt, since it keeps the words of removed tools. */
const maxAnalyses = (tools: number) => 1_000 + 4 * tools;

export function createDocumentSlots(): DocumentSlots {
  let index = createFieldIndex();
  let documents: readonly Document[] = [];
  let analysed = 0;
  return {
    get index() {
      return index;
    },
    update(catalog) {
      if (analysed > maxAnalyses(catalog.length)) {
        index = createFieldIndex();
        documents = [];
        analysed = 0;
      }
      const kept = byText(documents);
      const same = catalog.map((text) => (kept.size === 0 ? undefined : kept.get(JSON.stringify(text))?.pop()));
      for (const gone of kept.values()) for (const { slot, text } of gone) index.remove(slot, text);
      documents = catalog.map((text, at) => {
        const before = same[at];
        if (before !== undefined) return before;
        analysed += 1;
        return { slot: index.add(text), text, name: nameStems(text, index.lexicon) };
      });
      return documents;
    },
  };
}

/** Documents by their searched text. A catalog may hold the same tool twice. */
function byText(documents: readonly Document[]): Map<string, Document[]> {
  const all = new Map<string, Document[]>();
  for (const document of documents) {
    const key = JSON.stringify(document.text);
    const same = all.get(key);
    if (same === undefined) all.set(key, [document]);
    else same.push(document);
  }
  return all;
}
