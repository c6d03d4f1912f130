import { embed, type EmbeddingEndpoint } from "./embedding-endpoint.ts";
import { best, type Ranked } from "./ranking.ts";
import { parameterTexts, type Searchable } from "./searchable.ts";
import { identifierWords } from "./words.ts";

/** Ranks tools by the similarity of their embeddings to a sentence's. */
export interface VectorIndex {
  /** Replaces the catalog. */
  update(catalog: readonly Searchable[]): void;
  /**
   * The nearest of the tools at `places`, nearest first. Embeds new texts first.
   *
   * @throws Error when the endpoint fails
   */
  nearest(sentence: string, places: readonly number[], limit: number): Promise<readonly Ranked[]>;
}

export function createVectorIndex(endpoint: EmbeddingEndpoint): VectorIndex {
  let texts: readonly string[] = [];
  let vectors = new Map<string, Float32Array>();
  /** Shared by searches while texts are being embedded. */
  let embedding: Promise<void> | undefined;

  const embedNew = async () => {
    const wanted = texts;
    const missing = [...new Set(wanted)].filter((text) => !vectors.has(text));
    const made = await embed(endpoint, missing);
    const all = new Map([...vectors, ...missing.map((text, at) => [text, made[at] ?? new Float32Array()] as const)]);
    vectors = new Map(wanted.flatMap((text) => keep(text, all.get(text))));
  };

  return {
    update(catalog) {
      texts = catalog.map(embeddedText);
    },
    async nearest(sentence, places, limit) {
      while (texts.some((text) => !vectors.has(text)))
        await (embedding ??= embedNew().finally(() => {
          embedding = undefined;
        }));
      const [query] = await embed(endpoint, [sentence]);
      const similarity = (at: number) => 1 + dot(query, vectors.get(texts[at] ?? ""));
      return best(places, similarity, limit);
    },
  };
}

function keep(text: string, vector: Float32Array | undefined): readonly (readonly [string, Float32Array])[] {
  return vector === undefined ? [] : [[text, vector]];
}

/** Maximum length of an embedded text. Endpoints reject longer ones. */
const maxCharacters = 2_000;

function embeddedText({ name, pack, keywords = [], description, inputSchema }: Searchable): string {
  const parameters = parameterTexts(inputSchema).names.join(", ");
  const parts = [pack ?? "", identifierWords(name).join(" "), description, keywords.join(", "), parameters];
  return parts
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, maxCharacters);
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (one === undefined || other === undefined || one.length !== other.length) return -1;
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
