import { createToolFinder, searchable, type Searchable, type ToolFinder } from "@toolpacks/surface/search";
import { meaningOptions } from "../embeddings.ts";
import type { Runtime } from "../mount/runtime.ts";
import type { Answer, RankedTools, RankRequest } from "./tool-requests.ts";

/** Creates the function that ranks the tools of a runtime, after all other servers have listed theirs. */
export function createRank({ surface, mounting, settings, log }: Runtime): Answer<"rank"> {
  const onWarning = (message: string) => log.warn(message);
  const finder = createToolFinder({
    ...meaningOptions(settings),
    onWarning,
  });
  return async (request, { onEvent }) => {
    const waiting = new Set(mounting.upstreams.map(({ name }) => name));
    const announce = () => onEvent({ waitsFor: [...waiting] });
    if (waiting.size > 0) announce();
    const untilReady = mounting.upstreams.map(async (pack) => {
      await pack.ready();
      waiting.delete(pack.name);
      announce();
    });
    await Promise.all(untilReady);
    return rankTools(finder, (await surface.catalog.entries()).map(searchable), request);
  };
}

/** Ranks tools for each sentence. */
export async function rankTools(
  finder: ToolFinder,
  tools: readonly Searchable[],
  { sentences, limit }: RankRequest,
): Promise<readonly RankedTools[]> {
  finder.update(tools);
  // The first query builds the index, and the first unknown word builds the index of spelling corrections.
  await finder.find("toolpacks", { limit: 1 });
  const ranked: RankedTools[] = [];
  for (const sentence of sentences) {
    const started = performance.now();
    const { hits, topCount, weak } = await finder.find(sentence, { limit });
    const ms = performance.now() - started;
    const found = hits.flatMap(({ at }) => tools.slice(at, at + 1));
    ranked.push({
      hits: found.map(({ name, pack, description }) => ({ name, pack, description })),
      topCount,
      weak,
      ms,
    });
  }
  return ranked;
}
