import { createTextComparer, type EmbeddingEndpoint, type TextComparerOptions } from "@toolpacks/meaning";
import { createSearchIndex, type RankOptions, type Ranking } from "./search-index.ts";
import { parameterTexts, type Searchable } from "./searchable.ts";
import { splitLead } from "./tool-terms.ts";
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
  let texts: readonly (readonly string[])[] = [];
  return {
    update(catalog) {
      index.update(catalog);
      texts = catalog.map(comparedParts);
    },
    async find(sentence, options) {
      const compared = texts;
      const similarities = await compare(requestParts(sentence), compared);
      // The catalog may have changed in the meantime.
      return index.rank(sentence, { ...options, ...(compared === texts && { similarities }) });
    },
  };
}

/** Maximum number of sentences of a request that are compared alone. */
const maxSentences = 6;

/** A request, and each of its sentences if it has several: each may ask for another tool. */
function requestParts(request: string): readonly string[] {
  const sentences = request.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.length < 2 ? [request] : [request, ...sentences.slice(0, maxSentences)];
}

/** Maximum length of each part of a compared text. Endpoints reject longer ones. */
const maxCharacters = 1_000;

/**
 * What a tool is compared by: its pack, name and first sentence, the rest of its description, and its parameters. A name that begins with that of the pack
 * does not repeat it.
 */
function comparedParts({ name, pack = "", description, inputSchema }: Searchable): readonly string[] {
  const ownName = name.toLowerCase().startsWith(pack.toLowerCase()) ? name.slice(pack.length) : name;
  const [lead, rest] = splitLead(description);
  const { names, texts } = parameterTexts(inputSchema);
  const parameters = names.map((parameter) => identifierWords(parameter).join(" ")).join(", ");
  return [[pack, identifierWords(ownName).join(" "), lead], [rest], [parameters, ...texts]]
    .map((part) =>
      part
        .filter((text) => text !== "")
        .join("\n")
        .trim()
        .slice(0, maxCharacters),
    )
    .filter((part) => /\p{L}/u.test(part));
}
