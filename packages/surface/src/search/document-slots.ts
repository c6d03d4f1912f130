import { createFieldIndex, type FieldIndex } from "./field-index.ts";
import type { Searchable } from "./searchable.ts";
import { toolTerms, type ToolTerms } from "./tool-terms.ts";

/** A tool in the index. */
export interface Document {
  readonly slot: number;
  readonly text: Searchable;
  readonly terms: ToolTerms;
}

/** Tools in an index, kept as catalogs come and go. */
export interface DocumentSlots {
  readonly index: FieldIndex;
  /** Takes a catalog in place of the one before. Only tools that read differently are analysed. */
  update(catalog: readonly Searchable[]): readonly Document[];
}

export function createDocumentSlots(): DocumentSlots {
  const index = createFieldIndex();
  /** By all that is searched of a tool; a catalog may hold the same one twice. */
  let kept = new Map<string, Document[]>();
  return {
    index,
    update(catalog) {
      const next = new Map<string, Document[]>();
      const missing: { readonly at: number; readonly key: string; readonly text: Searchable }[] = [];
      const documents: Document[] = [];
      const hold = (at: number, key: string, document: Document) => {
        documents[at] = document;
        next.set(key, [...(next.get(key) ?? []), document]);
      };
      for (const [at, text] of catalog.entries()) {
        const key = JSON.stringify(text);
        const same = kept.get(key)?.pop();
        if (same === undefined) missing.push({ at, key, text });
        else hold(at, key, same);
      }
      for (const { slot, terms } of [...kept.values()].flat()) index.remove(slot, terms.fields);
      for (const { at, key, text } of missing) {
        const terms = toolTerms(text);
        hold(at, key, { slot: index.add(terms.fields), text, terms });
      }
      kept = next;
      return documents;
    },
  };
}
