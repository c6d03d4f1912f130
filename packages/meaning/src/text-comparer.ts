import { errorText, withTimeout } from "@toolpacks/core";
import { embed, type EmbeddingEndpoint } from "./embedding-endpoint.ts";
import { loadMeaning } from "./meaning.ts";
import { createTextVectors } from "./text-vectors.ts";

export interface TextComparerOptions {
  /** Whether to compare by the table of word vectors. Default true. */
  readonly table?: boolean | undefined;
  /** Compares by this endpoint's vectors. While the endpoint fails, the table decides. */
  readonly endpoint?: EmbeddingEndpoint | undefined;
  /** Called once for the endpoint and once for the table, at the first failure. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Compares the meaning of a sentence with that of texts. Never rejects.
 *
 * @returns the cosine for each text, from −1 to 1. Undefined while there are no vectors.
 */
export type TextComparer = (sentence: string, texts: readonly string[]) => Promise<Float64Array | undefined>;

/** Creates a comparer, which keeps the vectors of texts. Nothing is loaded or requested before the first comparison. */
export function createTextComparer({ table = true, endpoint, onWarning }: TextComparerOptions = {}): TextComparer {
  const comparers = [
    ...(endpoint === undefined ? [] : [compareByEndpoint(endpoint, onWarning)]),
    ...(table ? [compareByTable(onWarning)] : []),
  ];
  return async (sentence, texts) => {
    for (const compare of comparers) {
      const similarities = await compare(sentence, texts);
      if (similarities !== undefined) return similarities;
    }
    return undefined;
  };
}

function compareByTable(onWarning: TextComparerOptions["onWarning"]): TextComparer {
  let hasFailed = false;
  const vectors = createTextVectors(async (texts) => {
    const meaning = await loadMeaning();
    return texts.map((text) => meaning.vectorOf(text));
  });
  return async (sentence, texts) => {
    if (hasFailed) return undefined;
    return vectors.compare(sentence, texts).catch((error: unknown) => {
      if (!hasFailed) onWarning?.(`search goes by words alone: ${errorText(error)}`);
      hasFailed = true;
      return undefined;
    });
  };
}

/** Time without requests after the endpoint has failed. */
const cooldownMs = 60_000;

/** Maximum time that a comparison waits for the endpoint. The request continues, and comparisons do without until it ends. */
const maxWaitMs = 3_000;

function compareByEndpoint(endpoint: EmbeddingEndpoint, onWarning: TextComparerOptions["onWarning"]): TextComparer {
  const vectors = createTextVectors(async (texts) => embed(endpoint, texts));
  let retryAt = 0;
  let isLate = false;
  let warned = false;
  const warn = (why: string) => {
    if (!warned) onWarning?.(`search does without the embedding endpoint: ${endpoint.url}: ${why}`);
    warned = true;
  };
  return async (sentence, texts) => {
    if (isLate || Date.now() < retryAt) return undefined;
    const work = vectors
      .compare(sentence, texts)
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
      warn(`no answer within ${maxWaitMs / 1_000} s`);
      return undefined;
    };
    return withTimeout(work, { ms: maxWaitMs, onTimeout });
  };
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ""
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
