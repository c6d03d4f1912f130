import { createSearchIndex } from "@toolpacks/surface/search";
import { percentile } from "../connection.ts";
import { generateSentences, generateTools } from "./generated-tools.ts";
import { peers } from "./rankers.ts";
import type { ToolSet } from "./tool-sets.ts";

const count = 5_000;

/** What indexing costs and how long a search takes at 5,000 tools: generated ones, and of the public sets where they are. */
export function measureLatency(sets: readonly ToolSet[]): void {
  const real = sets.flatMap(({ tools }) => tools);
  const questions = sets.flatMap(({ questions }) => questions.map(({ query }) => query));
  const generated = { name: "generated", tools: generateTools(count), sentences: generateSentences(2_000) };
  const step = Math.max(1, real.length / count);
  const sampled = Array.from({ length: count }, (_, at) => real[Math.floor(at * step)]).flatMap((tool) => tool ?? []);
  const all = [
    generated,
    ...(real.length < count ? [] : [{ name: "public sets", tools: sampled, sentences: questions }]),
  ];
  console.log(`${count} tools in one catalog, milliseconds`);
  console.table(all.map(({ name, tools, sentences }) => ({ catalog: name, ...timings(tools, sentences) })));
}

function timings(tools: ToolSet["tools"], sentences: readonly string[]): Record<string, string> {
  const plain = peers.find(({ name }) => name === "BM25 with parameters");
  const plainMs = Math.min(...repeat(3, () => time(() => plain?.index(tools))));
  const indexMs = repeat(5, () => time(() => createSearchIndex().update(tools)));
  const index = createSearchIndex();
  index.update(tools);
  const first = time(() => index.rank(sentences[0] ?? "", { limit: 10 }));
  const changed = [...tools.slice(1), { name: "added_tool", description: "Added later." }];
  const update = time(() => index.update(changed));
  index.rank("an unkown word", { limit: 10 });
  const times = sentences.map((sentence) => time(() => index.rank(sentence, { limit: 10 })));
  const ms = (value: number) => value.toFixed(2);
  return {
    "index, first": ms(indexMs[0] ?? 0),
    "index, best of 5": ms(Math.min(...indexMs)),
    "plain BM25's": ms(plainMs),
    "one tool changed": ms(update),
    "first search": ms(first),
    p50: ms(percentile(times, 0.5)),
    p99: ms(percentile(times, 0.99)),
  };
}

function repeat(times: number, work: () => number): readonly number[] {
  return Array.from({ length: times }, work);
}

function time(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
