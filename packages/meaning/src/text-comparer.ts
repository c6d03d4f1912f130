import { errorText, withTimeout } from "@toolpacks/core";
import { embed, type EmbeddingEndpoint } from "./embedding-endpoint.ts";
import { loadMeaning } from "./meaning.ts";
import { createTextVectors, type ComparedText } from "./text-vectors.ts";

/** Makes the vectors of texts. */
export interface TextEmbedder {
  /** For messages. */
  readonly name: string;
  /** The unit vectors of texts, in their order. Rejects if it cannot make them. */
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
}

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

/** Creates a comparer, which keeps the vectors of texts. Nothing is loaded or requested before the first comparison. */
export function createTextComparer(options: TextComparerOptions = {}): TextComparer {
  const { table = true, endpoint, model, onWarning } = options;
  const comparers = [
    ...(endpoint === undefined ? [] : [compareByVectors(() => embedderOf(endpoint), false, onWarning)]),
    ...(model === undefined ? [] : [compareByVectors(model, true, onWarning)]),
    ...(table ? [compareByTable(onWarning)] : []),
  ];
  return async (sentences, texts) => {
    for (const compare of comparers) {
      const similarities = await compare(sentences, texts);
      if (similarities !== undefined) return similarities;
    }
    return undefined;
  };
}

function compareByTable(onWarning: TextComparerOptions["onWarning"]): TextComparer {
  let hasFailed = false;
  const compare = createTextVectors(async (texts) => {
    const meaning = await loadMeaning();
    return texts.map((text) => meaning.vectorOf(text));
  });
  return async (sentences, texts) => {
    if (hasFailed) return undefined;
    return compare(sentences, texts).catch((error: unknown) => {
      if (!hasFailed) onWarning?.(`search goes by words alone: ${errorText(error)}`);
      hasFailed = true;
      return undefined;
    });
  };
}

/** Time without requests after the endpoint or model has failed. */
const cooldownMs = 60_000;

/** Maximum time that a comparison waits for the endpoint or model. The work continues, and comparisons do without until it ends. */
const maxWaitMs = 3_000;

function embedderOf(endpoint: EmbeddingEndpoint): TextEmbedder {
  return { name: `the embedding endpoint: ${endpoint.url}`, embed: async (texts) => embed(endpoint, texts) };
}

/** @param isSlowAtFirst whether the first comparison of many texts is expected to take long. Then it is no warning. */
function compareByVectors(
  load: NonNullable<TextComparerOptions["model"]>,
  isSlowAtFirst: boolean,
  onWarning: TextComparerOptions["onWarning"],
): TextComparer {
  let loading: Promise<TextEmbedder> | undefined;
  let name = "the model";
  const compare = createTextVectors(async (texts) => {
    loading ??= Promise.resolve().then(load);
    loading.catch(() => (loading = undefined));
    const embedder = await loading;
    ({ name } = embedder);
    return embedder.embed(texts);
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
