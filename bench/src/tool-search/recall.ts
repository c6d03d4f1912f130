import type { Ranker } from "./rankers.ts";
import type { Question, ToolSet } from "./tool-sets.ts";

/** How well a ranker finds the tools of a set: shares from 0 to 1. */
export interface Recall {
  readonly at1: number;
  readonly at3: number;
  readonly at5: number;
  readonly at10: number;
  /** Mean of 1 / the rank of the first right tool among ten. */
  readonly reciprocalRank: number;
}

/** Asks a ranker every question of a set, changed first if `change` is given. */
export async function measureRecall(
  ranker: Ranker,
  { tools, questions }: ToolSet,
  change: (query: string, seed: number) => string = (query) => query,
): Promise<Recall> {
  const ask = ranker.index(tools);
  const names: (readonly string[])[] = [];
  for (const [at, { query }] of questions.entries())
    names.push((await ask(change(query, at))).map((place) => tools[place]?.name ?? ""));
  const mean = (measure: (question: Question, found: readonly string[]) => number) =>
    questions.reduce((sum, question, at) => sum + measure(question, names[at] ?? []), 0) / questions.length;
  const at = (depth: number) => mean(({ gold }, found) => share(gold, found.slice(0, depth)));
  return { at1: at(1), at3: at(3), at5: at(5), at10: at(10), reciprocalRank: mean(firstRight) };
}

function share(gold: Question["gold"], found: readonly string[]): number {
  const hit = gold.filter((slot) => [slot].flat().some((name) => found.includes(name)));
  return hit.length / gold.length;
}

function firstRight({ gold }: Question, found: readonly string[]): number {
  const right = new Set(gold.flat());
  const rank = found.findIndex((name) => right.has(name));
  return rank < 0 ? 0 : 1 / (rank + 1);
}

/** The same over several sets, each counting alike. */
export function meanRecall(all: readonly Recall[]): Recall {
  const mean = (of: (recall: Recall) => number) => all.reduce((sum, one) => sum + of(one), 0) / all.length;
  return {
    at1: mean(({ at1 }) => at1),
    at3: mean(({ at3 }) => at3),
    at5: mean(({ at5 }) => at5),
    at10: mean(({ at10 }) => at10),
    reciprocalRank: mean(({ reciprocalRank }) => reciprocalRank),
  };
}
