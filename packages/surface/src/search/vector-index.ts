import { embed, type EmbeddingEndpoint } from "./embedding-endpoint.ts";
import { best, type Ranked } from "./ranking.ts";
import { parameterTexts, type Searchable } from "./searchable.ts";
import { identifierWords } from "./words.ts";

/** Ranks tools by how near their meaning is to a sentence's, as an embedding endpoint sees it. */
export interface VectorIndex {
  /** Takes a catalog in place of the one before. */
  update(catalog: readonly Searchable[]): void;
  /**
   * The tools at some places, nearest first. Texts that were not embedded before are embedded first.
   *
   * @throws Error when the endpoint fails
   */
  nearest(sentence: string, places: readonly number[], most: number): Promise<readonly Ranked[]>;
}

export function createVectorIndex(endpoint: EmbeddingEndpoint): VectorIndex {
  let texts: readonly string[] = [];
  let vectors = new Map<string, Float32Array>();
  /** Searches that come while texts are being embedded wait for that. */
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
    async nearest(sentence, places, most) {
      while (texts.some((text) => !vectors.has(text)))
        await (embedding ??= embedNew().finally(() => {
          embedding = undefined;
        }));
      const [asked] = await embed(endpoint, [sentence]);
      const nearness = (at: number) => 1 + dot(asked, vectors.get(texts[at] ?? ""));
      return best(places, nearness, most);
    },
  };
}

function keep(text: string, vector: Float32Array | undefined): readonly (readonly [string, Float32Array])[] {
  return vector === undefined ? [] : [[text, vector]];
}

/** More says nothing new of a tool, and endpoints refuse texts that are too long. */
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
