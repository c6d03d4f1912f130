/** A value that a filter compares with. Strings compare by code point, so ISO dates of one form sort by time. */
export type Scalar = string | number | boolean;

/** Bounds of a range. Both ends must be of the field's own type. */
export interface Range {
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
}

/** A condition on one indexed field. `null` means that the field is absent or null. */
export type Condition =
  | Scalar
  | null
  | Range
  | { readonly in: readonly Scalar[] }
  /** For an array: one of its items is this. */
  | { readonly contains: string | number }
  /** Whether the field is there and not null. For an array: whether it has an item. */
  | { readonly exists: boolean };

/**
 * Conditions on indexed fields, and `id`; all must hold. Two-valued: a condition on a field that a record lacks is false, and its
 * `not` is true. At most 200 conditions, 8 levels deep.
 *
 * @example { status: { in: ["open", "in_progress"] }, not: { labels: { contains: "later" } }, or: [{ priority: 0 }, { due: { lt: "2027" } }] }
 */
export interface Filter {
  readonly and?: readonly Filter[];
  readonly or?: readonly Filter[];
  readonly not?: Filter;
  readonly [field: string]: Condition | Filter | readonly Filter[] | undefined;
}

/** What to find, in which order, and how much of it. */
export interface Query {
  readonly filter?: Filter;
  /**
   * Words that must all occur in the kind's text fields, in any form of their English stem, whatever their case and
   * accents. No character is an operator. Ranked, best first, where `sort` is absent.
   */
  readonly text?: string;
  /** `any`: records with any of the words, those with more of them first; how much rarity counts is the driver's. Default `all`. */
  readonly match?: "all" | "any";
  /** Indexed fields that are not arrays, `id`, or `generation`; `-` before one descends. Ties, and records where no sort is given, go by age. */
  readonly sort?: readonly string[];
  /** At most 1,000. 0 counts only. Default 100. */
  readonly limit?: number;
  /** Whether the total counts beyond 10,000, which takes the longer the more there are. Default: where the limit is 0. */
  readonly countAll?: boolean;
  /** Where no limit is given and more than `over` match: answer the first `show` of them. */
  readonly compaction?: { readonly over: number; readonly show: number };
  /**
   * From an earlier page of the same query. Opaque. It stays right while others write: a record that matches throughout,
   * and whose place in the order does not change, comes exactly once.
   */
  readonly cursor?: string;
  /** Fields of the records that are wanted; the others are left out. Default: all. */
  readonly fields?: readonly string[];
  /** Default false; true where `sinceGeneration` is given, because a closing is a change. */
  readonly includeClosed?: boolean;
  /**
   * Only what was written after this generation, by generation where `sort` is absent: a change feed. Go on from the
   * page's `generation` once it has no cursor. A record deleted for good leaves no trace in it.
   */
  readonly sinceGeneration?: number;
  /**
   * Leaves out records that their kind's schema does not admit, and counts them in `Page.damaged`. Default false: such a record makes the query
   * fail with `unavailable`, which names it. Nothing is checked where `fields` is empty.
   */
  readonly skipDamaged?: boolean;
  /** Looks into every workspace. Default false. */
  readonly everyWorkspace?: boolean;
}
