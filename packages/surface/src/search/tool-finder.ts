import { createTextComparer, type EmbeddingEndpoint, type TextComparerOptions } from "@toolpacks/meaning";
import { createSearchIndex, type RankOptions, type Ranking } from "./search-index.ts";
import type { Searchable } from "./searchable.ts";
import { identifierWords } from "./words.ts";

export interface ToolFinderOptions {
  /** Whether similarity of meaning counts, too, by the word vectors of `@toolpacks/meaning`. Default true. */
  readonly meaning?: boolean | undefined;
  /** Similarity of meaning counts by this endpoint's vectors. While the endpoint fails, `meaning` decides. */
  readonly embeddings?: EmbeddingEndpoint | undefined;
  /** Similarity of meaning counts by this model's vectors. While it fails, `meaning` decides. */
  readonly model?: TextComparerOptions["model"];
  /** Called once for the endpoint and once for the word vectors, at the first failure. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Finds tools by a sentence: by words and by meaning. */
export interface ToolFinder {
  /** Replaces the catalog. */
  update(catalog: readonly Searchable[]): void;
  /** Never rejects: without vectors, it ranks by words only. */
  find(sentence: string, options: RankOptions): Promise<Ranking>;
}

export function createToolFinder({ meaning, embeddings, model, onWarning }: ToolFinderOptions = {}): ToolFinder {
  const index = createSearchIndex();
  const warn = (message: string) => onWarning?.(`tool ${message}`);
  const compare = createTextComparer({ table: meaning, endpoint: embeddings, model, onWarning: warn });
  let texts: readonly string[] = [];
  return {
    update(catalog) {
      index.update(catalog);
      texts = catalog.map(comparedText);
    },
    async find(sentence, options) {
      const compared = texts;
      const similarities = await compare(sentence, compared);
      // The catalog may have changed in the meantime.
      return index.rank(sentence, { ...options, ...(compared === texts && { similarities }) });
    },
  };
}

/** Maximum length of a compared text. Endpoints reject longer ones. */
const maxCharacters = 1_000;

function comparedText({ name, pack = "", description }: Searchable): string {
  return [pack, identifierWords(name).join(" "), description.trim()]
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, maxCharacters);
}
