/** A value in a filter. Strings compare by code point, so ISO dates of one format sort by time. */
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
  /** For an array: it contains this item. */
  | { readonly contains: string | number }
  /** Whether the field is present and not null. For an array: whether it has an item. */
  | { readonly exists: boolean };

/**
 * Conditions on indexed fields and `id`. All must be true. A condition on a missing field is false, and its `not` is true. At most 200 conditions,
 * 8 levels deep.
 *
 * @example { status: { in: ["open", "in_progress"] }, not: { labels: { contains: "later" } }, or: [{ priority: 0 }, { due: { lt: "2027" } }] }
 */
export interface Filter {
  readonly and?: readonly Filter[];
  readonly or?: readonly Filter[];
  readonly not?: Filter;
  readonly [field: string]: Condition | Filter | readonly Filter[] | undefined;
}

/** A query of records. */
export interface Query {
  readonly filter?: Filter;
  /**
   * Words that must all occur in the kind's text fields. Case, accents and English word endings are ignored. No character is an operator. Without
   * `sort`, the best matches come first. If more match than a driver ranks, those with the rarest words are ranked, and the others follow by age.
   */
  readonly text?: string;
  /** `any`: records with any of the words, those with more of them first. The driver decides the weight of rare words. Default `all`. */
  readonly match?: "all" | "any";
  /**
   * What is meant, for kinds with `meaning`: with `match: "any"`, records of a similar meaning are found beside those with a word of the text. `total`
   * need not count them. Default: the text.
   */
  readonly near?: string;
  /** The lowest similarity, at most 1, of a record that is found by its meaning alone. Default 0.05. */
  readonly minSimilarity?: number;
  /** Indexed fields that are not arrays, `id`, or `generation`. `-` in front sorts in descending order. Ties are sorted by age. Default: by age. */
  readonly sort?: readonly string[];
  /** Maximum number of records, up to 1,000. 0 only counts. Default 100. */
  readonly limit?: number;
  /**
   * Maximum number of matches that are counted, because counting takes longer the more records match. Beyond it, the page has `atLeast`. Default 10,000;
   * 1,000 of a text by rank; `Infinity` if the limit is 0.
   */
  readonly countTo?: number;
  /** Without `limit`: if more than `over` records match, only the first `show` are returned. */
  readonly compaction?: { readonly over: number; readonly show: number };
  /**
   * The opaque cursor of an earlier page of the same query. If other callers write meanwhile, a record that always matches and keeps its position is
   * returned exactly once.
   */
  readonly cursor?: string;
  /** The fields of the records to return. Default: all. */
  readonly fields?: readonly string[];
  /** Whether closed records are included. Default false; true with `sinceGeneration`, because closing is a change. */
  readonly includeClosed?: boolean;
  /**
   * Only records written after this generation, sorted by generation without `sort`: a change feed. On the last page, continue from the page's
   * `generation`. Deleted records do not appear.
   */
  readonly sinceGeneration?: number;
  /**
   * Leaves out records that do not match the schema of their kind, and counts them in `Page.damaged`. Default false: the query then fails with
   * `unavailable` and names the record. If `fields` is empty, records are not checked.
   */
  readonly skipDamaged?: boolean;
  /** Only records of this principal, in kinds with an `owner`. Other kinds ignore it. Empty: the local user, who sees all records. Default: empty. */
  readonly caller?: string;
  /** Searches every workspace. Default false. */
  readonly everyWorkspace?: boolean;
}
