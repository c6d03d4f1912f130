import { withTimeout } from "@toolpacks/core";
import type { EmbeddingEndpoint } from "./embedding-endpoint.ts";
import type { Ranked } from "./ranking.ts";
import { createSearchIndex, type RankOptions, type Ranking } from "./search-index.ts";
import type { Searchable } from "./searchable.ts";
import { createVectorIndex, type VectorIndex } from "./vector-index.ts";

export interface ToolFinderOptions {
  /** Adds a ranking by meaning to the ranking by words. */
  readonly embeddings?: EmbeddingEndpoint | undefined;
  /** Called once, at the first failure of the endpoint. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Finds tools by a sentence: by words, and with an embedding endpoint also by meaning. */
export interface ToolFinder {
  /** Replaces the catalog. */
  update(catalog: readonly Searchable[]): void;
  /** Never rejects: if the endpoint fails, it ranks by words only. */
  find(sentence: string, options: RankOptions): Promise<Ranking>;
}

/** Number of hits of each ranking that are fused. */
const depth = 50;

/** Constant of reciprocal rank fusion: https://doi.org/10.1145/1571941.1572114 */
const fusionConstant = 60;

/** Exponent of fused scores, which lie close together: the second hit of both rankings then scores 0.8 of the best. */
const spread = 14;

/** Time without requests after the endpoint has failed. */
const cooldownMs = 60_000;

/** Maximum time that a search waits for the endpoint. The request continues, and searches use only words until it ends. */
const maxWaitMs = 3_000;

export function createToolFinder({ embeddings, onWarning }: ToolFinderOptions = {}): ToolFinder {
  const words = createSearchIndex();
  const vectors = embeddings === undefined ? undefined : createVectorIndex(embeddings);
  let catalog: readonly Searchable[] = [];
  let retryAt = 0;
  let warned = false;

  let isLate = false;

  const warn = (why: string) => {
    if (!warned) onWarning?.(`tool search goes by words alone: ${embeddings?.url}: ${why}`);
    warned = true;
  };
  const byMeaning = async (index: VectorIndex, sentence: string, { limit, pack }: RankOptions) => {
    const places = [...catalog.keys()].filter((at) => pack === undefined || catalog[at]?.pack === pack);
    const work = index
      .nearest(sentence, places, limit)
      .catch((error: unknown) => {
        retryAt = Date.now() + cooldownMs;
        warn(reason(error));
      })
      .finally(() => {
        isLate = false;
      });
    const onTimeout = () => {
      isLate = true;
      warn(`no answer within ${maxWaitMs / 1_000} s`);
    };
    return withTimeout(work, { ms: maxWaitMs, onTimeout });
  };

  return {
    update(next) {
      catalog = next;
      words.update(next);
      vectors?.update(next);
    },
    async find(sentence, options) {
      if (vectors === undefined || isLate || Date.now() < retryAt) return words.rank(sentence, options);
      const deep = { ...options, limit: Math.max(options.limit, depth) };
      const semantic = await byMeaning(vectors, sentence, deep);
      if (!semantic) return words.rank(sentence, options);
      const lexical = words.rank(sentence, deep);
      const hits = fuse([lexical.hits.filter(({ score }) => score > 0), semantic]);
      const isSameBest = semantic[0] !== undefined && semantic[0].at === lexical.hits[0]?.at;
      const { limit } = options;
      return {
        hits: hits.slice(0, limit),
        topCount: Math.min(limit, lexical.topCount),
        weak: lexical.weak && !isSameBest,
      };
    },
  };
}

/** Fuses rankings: a hit scores 1 / (60 + rank) in each. The sum is scaled so that the score of the best hit is 1. */
function fuse(rankings: readonly (readonly Ranked[])[]): readonly Ranked[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    for (const [rank, { at }] of ranking.entries())
      scores.set(at, (scores.get(at) ?? 0) + 1 / (fusionConstant + rank + 1));
  const best = Math.max(...scores.values());
  return [...scores]
    .map(([at, score]) => ({ at, score: (score / best) ** spread }))
    .sort((one, other) => other.score - one.score);
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ""
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
