/** Maximum distinct values that are counted. A field with more is not an enumeration. */
const maxDistinct = 4;
const maxCharacters = 20;

/** Counts the values of a field while they are few and short. */
export class ValueCounts {
  #counts: Map<string, number> | undefined = new Map();

  add(value: string): void {
    const counts = this.#counts;
    if (counts === undefined) return;
    const count = counts.get(value);
    if (count === undefined && (counts.size >= maxDistinct || value.length > maxCharacters)) this.#counts = undefined;
    else counts.set(value, (count ?? 0) + 1);
  }

  /** The values with their counts, the frequent ones first. Undefined when they hardly repeat. */
  get repeated(): readonly (readonly [string, number])[] | undefined {
    const all = [...(this.#counts ?? [])];
    const total = all.reduce((sum, [, count]) => sum + count, 0);
    return all.length === 0 || total < 3 * all.length ? undefined : all.sort(([, a], [, b]) => b - a);
  }

  /** The value, if there is only one. */
  get only(): string | undefined {
    const [first, second] = this.#counts ?? [];
    return second === undefined ? first?.[0] : undefined;
  }
}
