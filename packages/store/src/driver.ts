import type { RecordData, IndexedField, Scalar } from "@toolpacks/core";
import type { RecordVersion } from "./record-version.ts";

type Awaitable<T> = T | Promise<T>;

/** The part of a kind that a driver needs. */
export interface KindLayout {
  readonly name: string;
  /** The indexes, each with its fields in order. An array field has an index of its own. */
  readonly indexes: readonly (readonly IndexedField[])[];
  /** The paths of the text fields. Empty: no full text. */
  readonly text: readonly string[];
}

/** The words of a record's text fields, folded and stemmed: letters, digits and symbols, no separators. */
export interface TextWords {
  /** The words of the first text field, which count double. */
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

/** A stored record. */
export interface Row {
  readonly workspace: string;
  readonly id: string;
  readonly closed: boolean;
  readonly data: RecordData;
  readonly generation: number;
}

/** A record to write. */
export interface NewRow extends Omit<Row, "generation"> {
  /** The data as JSON. */
  readonly json: string;
  /** The generation of an imported record. Default: the next generation. */
  readonly generation?: number;
  /** Its vector in each set of the kind. Sets of these names that do not exist are added before. Default: its vectors are missing. */
  readonly vectors?: { readonly names: readonly string[]; readonly of: (set: string) => NewVector } | undefined;
}

/** The 384 signs of a vector. `none`: no word of the text is known. `kept`: the record keeps the vector that it may have. `missing`: it is made later. */
export type NewVector = Uint8Array | "none" | "kept" | "missing";

/** The vectors of a kind's records by one embedder. */
export interface VectorSet {
  readonly number: number;
  /** Names the embedder and the fields. */
  readonly name: string;
  /** The lowest age of a record that may lack its vector. Undefined: no record does. */
  readonly missing: number | undefined;
  /** The age of the newest record of the kind. */
  readonly newest: number;
}

/** A condition of a validated filter. Every field is indexed, and every value has the field's type. */
export type Predicate =
  | { readonly op: "and" | "or"; readonly of: readonly Predicate[] }
  | { readonly op: "not"; readonly of: Predicate }
  | { readonly op: "eq" | "gt" | "gte" | "lt" | "lte"; readonly field: PlanField; readonly value: Scalar }
  | { readonly op: "in"; readonly field: PlanField; readonly values: readonly Scalar[] }
  /** The array field contains this item. */
  | { readonly op: "contains"; readonly field: IndexedField; readonly value: string | number }
  | { readonly op: "exists"; readonly field: PlanField };

/** An indexed field, or the id or generation of a record. */
export type PlanField = IndexedField | { readonly path: "id" | "generation"; readonly type: "key" };

/** A validated query. Records with equal sort fields are ordered by age, in the direction of the last sort field. */
export interface QueryPlan {
  readonly workspaces: readonly string[] | "every";
  readonly where: Predicate | undefined;
  readonly text: { readonly words: readonly string[]; readonly match: "all" | "any" } | undefined;
  /**
   * A vector: with the words, it finds the records whose vectors in this set are near to it. `minSimilarity` is the lowest one of a record with none of the
   * words. Only by rank.
   */
  readonly near?: { readonly set: number; readonly signs: Uint8Array; readonly minSimilarity: number } | undefined;
  /** Sort fields. Empty: by rank if there is text, otherwise by age. */
  readonly sort: readonly { readonly field: PlanField; readonly descending: boolean }[];
  readonly includeClosed: boolean;
  readonly sinceGeneration: number | undefined;
  readonly limit: number;
  /** Counting may stop at one more than this. Undefined: all matches are counted. */
  readonly countTo: number | undefined;
  /** The value of `resume` for the last row of the previous page. */
  readonly after: unknown;
}

/** The result of a query: one page of rows. */
export interface FindResult {
  /** At most one more row than the limit. The additional row shows that there are more. */
  readonly rows: readonly Row[];
  /** Number of matches on all pages together, or any number beyond the plan's `countTo`. */
  readonly total: number;
  readonly generation: number;
  /** The position after a row of this page, as short JSON, for the next page. */
  resume(at: number): unknown;
}

/** The answer of a put with an operation id, kept for retries. */
export interface Operation {
  readonly id: string;
  readonly workspace: string;
  /** A digest of the put, to detect a different put with the same id. */
  readonly request: string;
  readonly answer: RecordData;
}

/** Reads from the database, directly or inside a transaction. Each call sees one consistent state. */
export interface DriverReader {
  /** Creates the tables and indexes of a kind, or adds those of a newer version of it. Called once before the kind is used. */
  ensureKind(kind: KindLayout): Awaitable<void>;
  get(kind: KindLayout, workspace: string, id: string): Awaitable<Row | undefined>;
  find(kind: KindLayout, plan: QueryPlan): Awaitable<FindResult>;
  generation(): Awaitable<number>;
  workspaces(): Awaitable<readonly string[]>;
  vectorSets(kind: KindLayout): Awaitable<readonly VectorSet[]>;
  /**
   * The oldest records from an age on that lack their vector in a set, among a bounded number of records, and the age up to which the driver has looked.
   * Undefined: there are no more records.
   */
  rowsWithoutVector(
    kind: KindLayout,
    range: { readonly set: number; readonly from: number; readonly limit: number },
  ): Awaitable<{
    readonly rows: readonly (Pick<Row, "data" | "generation"> & { readonly age: number })[];
    readonly next: number | undefined;
  }>;
}

/** A write transaction. Only one runs at a time. Its reads include its writes. */
export interface DriverTransaction extends DriverReader {
  /**
   * Inserts a record, or replaces the record with the same workspace and id, which keeps its age. Resolves to its generation. The record is indexed
   * by the stored layout of the kind, because another process may use a newer version of it. In each set of vectors, it keeps no older vector than
   * the row says.
   */
  write(kind: KindLayout, row: NewRow): Awaitable<number>;
  /** Adds sets of vectors of a kind that do not exist. The vectors of all its records are missing. At most three sets of a kind stay, the newest ones. */
  addVectorSets(kind: KindLayout, names: readonly string[]): Awaitable<void>;
  /** Adds vectors of records to a set, and sets `missing`. The generation stays the same. */
  addVectors(
    kind: KindLayout,
    set: Pick<VectorSet, "number" | "missing">,
    vectors: readonly { readonly age: number; readonly signs: Uint8Array }[],
  ): Awaitable<void>;
  /** Deletes a record, with its vectors, and increments the generation. False if there was no such record. */
  remove(kind: KindLayout, workspace: string, id: string): Awaitable<boolean>;
  /**
   * Bytes of all records of a workspace as JSON, plus the answers kept for retries. Changes of this transaction are included.
   */
  workspaceBytes(workspace: string): Awaitable<number>;
  operation(workspace: string, id: string): Awaitable<Pick<Operation, "request" | "answer"> | undefined>;
  remember(operation: Operation): Awaitable<void>;
  /** Notes a version that was written. Only `createStore` sets it, where versions are kept. */
  readonly note?: (version: RecordVersion) => void;
  /** Runs work. If it rejects, only its own writes are undone. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * The interface between a store and its database; `createStore` implements the rest. Every method rejects with a ToolError `unavailable` when the
 * database cannot do its work.
 */
export interface StoreDriver extends DriverReader {
  /**
   * Runs work as the only writer of all processes, and commits to disk when it resolves. Each run gets its own transaction object. A database that
   * can undo a transaction by itself, such as after a lost connection, runs work again. If it is unknown whether a commit succeeded, the driver must
   * find out before it runs work again: work must take effect once.
   */
  transaction<T>(work: (transaction: DriverTransaction) => Promise<T>): Promise<T>;
  /**
   * Calls the listener with the newest generation after writes of any process, this one included. It may be late and may skip generations, never the
   * last one. Resolves to a function that stops it.
   */
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  /** The current layouts of all kinds in the database. */
  kinds(): Awaitable<readonly KindLayout[]>;
  /** Every row of every kind in one consistent state, ordered by kind and age. */
  scan(): AsyncIterable<{ readonly kind: KindLayout } | { readonly kind: KindLayout; readonly row: Row }>;
  /** Checks the whole database. Resolves to one line for each problem. */
  check(): Promise<readonly string[]>;
  /** Closes the database. Called once, after all other calls. */
  end(): Promise<void>;
}
