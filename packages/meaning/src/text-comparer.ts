import { errorText, withTimeout } from "@toolpacks/core";
import { embed, type EmbeddingEndpoint } from "./embedding-endpoint.ts";
import { loadMeaning } from "./meaning.ts";
import { createTextVectors, type ComparedText } from "./text-vectors.ts";
import { wordMeaning, type TextEmbedder } from "./word-meaning.ts";

export interface TextComparerOptions {
  /** Whether to compare by the table of word vectors. Default true. */
  readonly table?: boolean | undefined;
  /** Compares by this endpoint's vectors. While the endpoint fails, the model or the table decides. */
  readonly endpoint?: EmbeddingEndpoint | undefined;
  /** Compares by this model's vectors. It is loaded at the first comparison. While it fails, the table decides. */
  readonly model?: (() => TextEmbedder | Promise<TextEmbedder>) | undefined;
  /** Called once for the endpoint and once for the table, at the first failure. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Compares the meaning of one or more sentences with that of texts. Never rejects.
 *
 * @returns for each text the cosine with the sentence that is most similar to it, from −1 to 1. Undefined while there are no vectors.
 */
export type TextComparer = (
  sentences: readonly string[],
  texts: readonly ComparedText[],
) => Promise<Float64Array | undefined>;

/** What a nearness of 1 of the single words adds to the cosine of whole texts. */
const wordShare = 0.3;

/**
 * Compares as another comparer does, and the words of one sentence with those of texts by the table, too: a text may have the wanted word beside much else.
 * Takes about a millisecond for 80 short texts.
 *
 * @returns for each text a number from −1.3 to 1.3. Undefined while there are no vectors.
 */
export async function compareWithWords(compare: TextComparer, sentence: string, texts: readonly string[]) {
  const cosines = await compare([sentence], texts);
  const near = cosines && (await loadMeaning().catch(() => undefined))?.nearness(sentence, texts);
  return cosines?.map((one, at) => one + wordShare * (near?.[at] ?? 0));
}

/** Creates a comparer, which keeps the vectors of texts. Nothing is loaded or requested before the first comparison. */
export function createTextComparer(options: TextComparerOptions = {}): TextComparer {
  const { table = true, endpoint, model, onWarning } = options;
  const comparers = [
    ...(endpoint === undefined ? [] : [compareBy(endpointVectors(endpoint), onWarning)]),
    ...(model === undefined ? [] : [compareBy({ name: "the model", load: model, isSlowAtFirst: true }, onWarning)]),
    ...(table ? [compareBy(tableVectors, onWarning)] : []),
  ];
  return async (sentences, texts) => {
    for (const compare of comparers) {
      const similarities = await compare(sentences, texts);
      if (similarities !== undefined) return similarities;
    }
    return undefined;
  };
}

interface VectorSource {
  /** For messages. */
  readonly name: string;
  readonly load: NonNullable<TextComparerOptions["model"]>;
  /** Whether the first comparison of many texts is expected to take long. Then it is no warning. */
  readonly isSlowAtFirst: boolean;
}

const tableVectors: VectorSource = { name: "the table of word vectors", load: wordMeaning, isSlowAtFirst: true };

function endpointVectors(endpoint: EmbeddingEndpoint): VectorSource {
  const name = `the embedding endpoint: ${endpoint.url}`;
  return { name, load: () => ({ name, embed: (texts) => embed(endpoint, texts) }), isSlowAtFirst: false };
}

/** Time without requests after a source of vectors has failed. */
const cooldownMs = 60_000;

/** Maximum time that a comparison waits for vectors. The work continues, and comparisons do without until it ends. */
const maxWaitMs = 3_000;

function compareBy(
  { name, load, isSlowAtFirst }: VectorSource,
  onWarning: TextComparerOptions["onWarning"],
): TextComparer {
  let loading: Promise<TextEmbedder> | undefined;
  const compare = createTextVectors(async (texts) => {
    loading ??= Promise.resolve().then(load);
    loading.catch(() => (loading = undefined));
    return (await loading).embed(texts);
  });
  let retryAt = 0;
  let isLate = false;
  let warned = false;
  const warn = (why: string) => {
    if (!warned) onWarning?.(`search does without ${name}: ${why}`);
    warned = true;
  };
  return async (sentences, texts) => {
    if (isLate || Date.now() < retryAt) return undefined;
    const work = compare(sentences, texts)
      .catch((error: unknown) => {
        retryAt = Date.now() + cooldownMs;
        warn(reason(error));
        return undefined;
      })
      .finally(() => {
        isLate = false;
      });
    const onTimeout = () => {
      isLate = true;
      if (!isSlowAtFirst) warn(`no answer within ${maxWaitMs / 1_000} s`);
      return undefined;
    };
    return withTimeout(work, { ms: maxWaitMs, onTimeout });
  };
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  return cause === "" ? errorText(error) : `${errorText(error)} (${cause})`;
}
