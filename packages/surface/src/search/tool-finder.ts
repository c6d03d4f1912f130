import type { EmbeddingEndpoint } from "./embedding-endpoint.ts";
import type { Ranked } from "./ranking.ts";
import { createSearchIndex, type RankOptions, type Ranking } from "./search-index.ts";
import type { Searchable } from "./searchable.ts";
import { createVectorIndex, type VectorIndex } from "./vector-index.ts";

export interface ToolFinderOptions {
  /** Adds a ranking by meaning to the one by words. */
  readonly embeddings?: EmbeddingEndpoint | undefined;
  /** Told once, when the endpoint fails for the first time. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Finds tools by a sentence: by words, and by meaning too where there is an embedding endpoint. */
export interface ToolFinder {
  /** Takes a catalog in place of the one before. */
  update(catalog: readonly Searchable[]): void;
  /** Never rejects: without the endpoint the words alone decide. */
  find(sentence: string, options: RankOptions): Promise<Ranking>;
}

/** How deep two rankings are read to make one of them. */
const depth = 50;

/** Reciprocal rank fusion's constant, as in the paper: https://doi.org/10.1145/1571941.1572114 */
const fusionConstant = 60;

/** An endpoint that failed is left alone for so long, so that it does not hold up every search. */
const restMs = 60_000;

export function createToolFinder({ embeddings, onWarning }: ToolFinderOptions = {}): ToolFinder {
  const words = createSearchIndex();
  const vectors = embeddings === undefined ? undefined : createVectorIndex(embeddings);
  let catalog: readonly Searchable[] = [];
  let restsUntil = 0;
  let warned = false;

  const byMeaning = async (index: VectorIndex, sentence: string, { limit, pack }: RankOptions) => {
    const places = [...catalog.keys()].filter((at) => pack === undefined || catalog[at]?.pack === pack);
    try {
      return await index.nearest(sentence, places, limit);
    } catch (error) {
      restsUntil = Date.now() + restMs;
      if (!warned) onWarning?.(`tool search goes by words alone: ${embeddings?.url}: ${reason(error)}`);
      warned = true;
      return undefined;
    }
  };

  return {
    update(next) {
      catalog = next;
      words.update(next);
      vectors?.update(next);
    },
    async find(sentence, options) {
      if (vectors === undefined || Date.now() < restsUntil) return words.rank(sentence, options);
      const deep = { ...options, limit: Math.max(options.limit, depth) };
      const meant = await byMeaning(vectors, sentence, deep);
      if (meant === undefined) return words.rank(sentence, options);
      const said = words.rank(sentence, deep);
      const hits = fuse([said.hits.filter(({ score }) => score > 0), meant]);
      const agreed = meant[0] !== undefined && meant[0].at === said.hits[0]?.at;
      const { limit } = options;
      return { hits: hits.slice(0, limit), topCount: Math.min(limit, said.topCount), weak: said.weak && !agreed };
    },
  };
}

/** One ranking of several: each gives a hit 1 / (60 + its rank). */
function fuse(rankings: readonly (readonly Ranked[])[]): readonly Ranked[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    for (const [rank, { at }] of ranking.entries())
      scores.set(at, (scores.get(at) ?? 0) + 1 / (fusionConstant + rank + 1));
  return [...scores].map(([at, score]) => ({ at, score })).sort((one, other) => other.score - one.score);
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ""
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
