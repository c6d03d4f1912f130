import type { RecordData, IndexedField } from "./store.ts";
import type { Scalar } from "./query.ts";

type Awaitable<T> = T | Promise<T>;

/** What a driver knows of a kind. */
export interface KindLayout {
  readonly name: string;
  /** Each index with its fields in order; an array field stands alone. */
  readonly indexes: readonly (readonly IndexedField[])[];
  /** The text fields, as their paths; none: no full text. */
  readonly text: readonly string[];
}

/** The words of a record's text fields, folded and stemmed: letters, digits and symbols, no separators. */
export interface TextWords {
  /** Of the first text field, which counts double. */
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

/** A record as it is kept. */
export interface Row {
  readonly workspace: string;
  readonly id: string;
  readonly closed: boolean;
  readonly data: RecordData;
  readonly generation: number;
}

/** A record to be written. */
export interface NewRow extends Omit<Row, "generation"> {
  /** Its data as JSON. */
  readonly json: string;
  /** Default: the next one. */
  readonly generation?: number;
}

/** A condition in a checked filter; every field is indexed, every value of the field's type. */
export type Predicate =
  | { readonly op: "and" | "or"; readonly of: readonly Predicate[] }
  | { readonly op: "not"; readonly of: Predicate }
  | { readonly op: "eq" | "gt" | "gte" | "lt" | "lte"; readonly field: PlanField; readonly value: Scalar }
  | { readonly op: "in"; readonly field: PlanField; readonly values: readonly Scalar[] }
  /** The array field has this item. */
  | { readonly op: "contains"; readonly field: IndexedField; readonly value: string | number }
  | { readonly op: "exists"; readonly field: PlanField };

/** An indexed field, or what the store keeps beside the fields. */
export type PlanField = IndexedField | { readonly path: "id" | "generation"; readonly type: "key" };

/** A checked query. The order is total: ties go by age, in the direction of the last sort field. */
export interface QueryPlan {
  readonly workspaces: readonly string[] | "every";
  readonly where: Predicate | undefined;
  readonly text: { readonly words: readonly string[]; readonly match: "all" | "any" } | undefined;
  /** Empty: by rank where there is text, else by age. */
  readonly sort: readonly { readonly field: PlanField; readonly descending: boolean }[];
  readonly includeClosed: boolean;
  readonly sinceGeneration: number | undefined;
  readonly limit: number;
  /** The total may stop at one more than this. Undefined: all are counted. */
  readonly countTo: number | undefined;
  /** What `resume` gave for the last row of the page before. */
  readonly after: unknown;
}

export interface Found {
  /** At most one more than the limit, so that one can tell whether there are more. */
  readonly rows: readonly Row[];
  /** How many match on all pages together, or any number beyond the plan's `countTo`. */
  readonly total: number;
  readonly generation: number;
  /** Where a page that ends with this row is gone on from: JSON, short. */
  resume(at: number): unknown;
}

/** What a put answered, kept for a retry. */
export interface Operation {
  readonly id: string;
  readonly workspace: string;
  /** Tells one put from another. */
  readonly request: string;
  readonly answer: RecordData;
}

/** What reads, by itself or inside a transaction. Each call sees the store as of one moment. */
export interface DriverReader {
  /** Makes what the kind needs, or adds what a newer declaration of it wants. Asked before the kind is used, once. */
  prepare(kind: KindLayout): Awaitable<void>;
  get(kind: KindLayout, workspace: string, id: string): Awaitable<Row | undefined>;
  find(kind: KindLayout, plan: QueryPlan): Awaitable<Found>;
  generation(): Awaitable<number>;
  workspaces(): Awaitable<readonly string[]>;
}

/** The one writer. What it reads includes what it wrote. */
export interface DriverTransaction extends DriverReader {
  /**
   * Inserts, or replaces the one with the same workspace and id, which keeps its age. Resolves to its generation. It is found by what
   * the store knows of the kind, not by what this process does: another may run a newer declaration of it.
   */
  write(kind: KindLayout, row: NewRow): Awaitable<number>;
  /** Takes one generation when there was one. */
  remove(kind: KindLayout, workspace: string, id: string): Awaitable<boolean>;
  /**
   * Bytes of all records of a workspace as JSON, with the answers that are remembered for it. Every write, removal and remembered answer counts, in the
   * transaction that makes it.
   */
  workspaceBytes(workspace: string): Awaitable<number>;
  operation(workspace: string, id: string): Awaitable<Pick<Operation, "request" | "answer"> | undefined>;
  remember(operation: Operation): Awaitable<void>;
  /** Runs work whose writes are undone when it rejects, and theirs alone. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * What a database must do to be a store; `createStore` makes the rest of it. Every method rejects with a ToolError of code
 * `unavailable` when the database cannot do its part.
 */
export interface StoreDriver extends DriverReader {
  /**
   * Runs work as the one writer, over all processes, and commits it to disk when it resolves. Each run gets a
   * transaction object of its own. May run it again where the
   * database asks for that; nothing of the first run is then kept.
   */
  transaction<T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T>;
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  /** The kinds that were ever prepared, as they are now laid out. */
  kinds(): Awaitable<readonly KindLayout[]>;
  /** Every row of every kind, as of one moment, by kind and age. */
  scan(): AsyncIterable<{ readonly kind: KindLayout } | { readonly kind: KindLayout; readonly row: Row }>;
  check(): Promise<readonly string[]>;
  end(): Promise<void>;
}
