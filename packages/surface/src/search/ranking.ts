/** Something in a list by its place there, and how well it does. */
export interface Ranked {
  readonly at: number;
  readonly score: number;
}

/** The best of many, best first, ties in the order given; what scores nothing is left out. */
export function best(places: Iterable<number>, scoreOf: (at: number) => number, most: number): readonly Ranked[] {
  const chosen: Ranked[] = [];
  for (const at of places) {
    const score = scoreOf(at);
    const last = chosen.at(-1);
    if (score <= 0 || (chosen.length === most && last !== undefined && score <= last.score)) continue;
    if (chosen.length === most) chosen.pop();
    let to = chosen.length;
    while (to > 0 && (chosen[to - 1]?.score ?? 0) < score) to -= 1;
    chosen.splice(to, 0, { at, score });
  }
  return chosen;
}
