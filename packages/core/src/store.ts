import type { z } from "zod";

/** A record type in the store. */
export interface Kind<RecordSchema extends z.ZodObject = z.ZodObject> {
  /** Lower-case, singular: `issue`. */
  readonly name: string;
  readonly schema: RecordSchema;
  /** Fields that filters and sorts may name. A query over any other is refused, so that none scans by accident. */
  readonly indexes: readonly string[];
  /** Fields that full text covers. */
  readonly text: readonly string[];
  /** Fields that lists show. */
  readonly summary: readonly string[];
  /** What closing sets, over the record. */
  readonly close: Readonly<Record<string, unknown>>;
}

type RecordOf<K extends Kind> = z.output<K["schema"]>;

/** A record as the store holds it. */
export interface Stored<Data = Readonly<Record<string, unknown>>> {
  readonly id: string;
  readonly data: Data;
  /** The store's generation when this record was last written. */
  readonly generation: number;
  readonly closed: boolean;
}

export interface PutOptions {
  /** Replaces the record with this id, or inserts it under it. Default: a new id. */
  readonly id?: string;
  /** Changes only the fields given; `null` unsets one. Default false: replaces the record whole. */
  readonly patch?: boolean;
  /** The generation the record must still have; `0` means it must not exist. Otherwise `conflict`, with the current one. */
  readonly ifGeneration?: number;
  /** A retried put with the same id of operation answers as the first did, and writes nothing. */
  readonly operationId?: string;
}

/** A condition on one indexed field. */
export type Condition =
  | string
  | number
  | boolean
  | null
  | {
      readonly gt?: string | number;
      readonly gte?: string | number;
      readonly lt?: string | number;
      readonly lte?: string | number;
    }
  | { readonly in: readonly (string | number | boolean)[] }
  | { readonly contains: string | number }
  | { readonly exists: boolean };

export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly [field: string]: Condition };

export interface Query {
  readonly filter?: Filter;
  /** Full text over the kind's text fields, ranked where `sort` is absent. */
  readonly text?: string;
  /** Field names; `-` before one descends. Ties go by id, so that the order is total. */
  readonly sort?: readonly string[];
  readonly limit?: number;
  /** From an earlier page; stays right while others write. */
  readonly cursor?: string;
  readonly fields?: readonly string[];
  /** Default false. */
  readonly includeClosed?: boolean;
  /** Only what was written after this generation: a change feed. */
  readonly sinceGeneration?: number;
}

export interface Page<Data> {
  readonly items: readonly Stored<Data>[];
  readonly total: number;
  readonly cursor?: string;
}

/** Where records live. Every method rejects with a ToolError; `unavailable` names the cause when the store is not there. */
export interface Store {
  /** Inserts, replaces or patches. Resolves once the write is on disk. `invalid_input` names each wrong field. */
  put<K extends Kind>(kind: K, record: z.input<K["schema"]>, options?: PutOptions): Promise<Stored<RecordOf<K>>>;
  /** Also a closed record. Undefined when there is none. */
  get<K extends Kind>(kind: K, id: string): Promise<Stored<RecordOf<K>> | undefined>;
  /** `invalid_input` names the indexed fields when the filter or sort names another. */
  query<K extends Kind>(kind: K, query: Query): Promise<Page<RecordOf<K>>>;
  /** Soft, and idempotent: closing a closed record changes nothing. `not_found` for an unknown id. */
  close<K extends Kind>(kind: K, id: string, note?: string): Promise<Stored<RecordOf<K>>>;
  /** Undoes `close`. Idempotent. */
  reopen<K extends Kind>(kind: K, id: string): Promise<Stored<RecordOf<K>>>;
  /** Removes for good. False when there was none. */
  delete(kind: Kind, id: string): Promise<boolean>;
  /** All or nothing. `work` may await; other writers of the same store wait until it ends. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** One step per committed write, never a clock. */
  generation(): Promise<number>;
}
