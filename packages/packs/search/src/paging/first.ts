interface FirstOptions<T> {
  /** How many are held. */
  readonly most: number;
  /** Only those that come after it are held. */
  readonly after: T | undefined;
  readonly order: (a: T, b: T) => number;
}

/** Holds the first of many in an order, while it counts them all: memory stays the same however many there are. */
export interface First<T> {
  add(one: T): void;
  sorted(): readonly T[];
  readonly total: number;
  /** How many come after `after`. */
  readonly remaining: number;
}

export function createFirst<T>({ most, after, order }: FirstOptions<T>): First<T> {
  let held: T[] = [];
  let [total, remaining] = [0, 0];
  /** The last one that is held, once there are enough: what comes after it needs no place. */
  let bound: T | undefined;
  const sorted = () => {
    held = held.sort(order).slice(0, most);
    bound = held[most - 1];
    return held;
  };
  return {
    add(one) {
      total += 1;
      if (after !== undefined && order(one, after) <= 0) return;
      remaining += 1;
      if (bound !== undefined && order(one, bound) > 0) return;
      held.push(one);
      if (held.length > 2 * most + 1000) sorted();
    },
    sorted,
    get total() {
      return total;
    },
    get remaining() {
      return remaining;
    },
  };
}
