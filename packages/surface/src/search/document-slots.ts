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

/** After so many, the index is made anew: the words of tools that went would pile up in it. */
const mostAnalyses = (tools: number) => 1_000 + 4 * tools;

export function createDocumentSlots(): DocumentSlots {
  let index = createFieldIndex();
  let analysed = 0;
  /** By all that is searched of a tool; a catalog may hold the same one twice. */
  let kept = new Map<string, Document[]>();
  return {
    get index() {
      return index;
    },
    update(catalog) {
      if (analysed > mostAnalyses(catalog.length)) {
        index = createFieldIndex();
        kept = new Map();
        analysed = 0;
      }
      const next = new Map<string, Document[]>();
      const documents: Document[] = [];
      const missing: { readonly at: number; readonly key: string }[] = [];
      const hold = (at: number, key: string, document: Document) => {
        documents[at] = document;
        const same = next.get(key);
        if (same === undefined) next.set(key, [document]);
        else same.push(document);
      };
      for (const [at, text] of catalog.entries()) {
        const key = JSON.stringify(text);
        const same = kept.get(key)?.pop();
        if (same === undefined) missing.push({ at, key });
        else hold(at, key, same);
      }
      for (const gone of kept.values()) for (const { slot, terms } of gone) index.remove(slot, terms.fields);
      for (const { at, key } of missing) {
        const text = catalog[at];
        if (text === undefined) continue;
        const terms = toolTerms(text, index.lexicon);
        hold(at, key, { slot: index.add(terms.fields), text, terms });
      }
      kept = next;
      analysed += missing.length;
      return documents;
    },
  };
}
