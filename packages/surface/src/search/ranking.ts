/** An item of a list, by its index, with its score. */
export interface Ranked {
  readonly at: number;
  readonly score: number;
}

/** The items with the highest scores, best first. Ties keep their order. Items without a score are left out. */
export function best(places: Iterable<number>, scoreOf: (at: number) => number, limit: number): readonly Ranked[] {
  const chosen: Ranked[] = [];
  for (const at of places) {
    const score = scoreOf(at);
    const last = chosen.at(-1);
    if (score <= 0 || (chosen.length === limit && last !== undefined && score <= last.score)) continue;
    if (chosen.length === limit) chosen.pop();
    let to = chosen.length;
    while (to > 0 && (chosen[to - 1]?.score ?? 0) < score) to -= 1;
    chosen.splice(to, 0, { at, score });
  }
  return chosen;
}
