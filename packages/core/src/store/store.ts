import type { z } from "zod";
import type { ObjectSchema, SchemaInput, SchemaOutput } from "../object-schema.ts";
import type { Query } from "./query.ts";

/** A record as the store holds it. */
export interface Stored<Data = RecordData> {
  readonly id: string;
  readonly data: Data;
  /** The store's generation when this record was last written. */
  readonly generation: number;
  readonly closed: boolean;
  readonly workspace: string;
}

type Input<K extends Kind> = z.input<K["schema"]>;
type Output<K extends Kind> = z.output<K["schema"]>;

/** Some fields of a record; `null` unsets one. */
export type Patch<Data> = { readonly [Field in keyof Data]?: Data[Field] | null };

export interface PutOptions {
  /** Replaces the record with this id, or inserts it under it. 1 to 200 characters, none of them a control character. Default: a new id. */
  readonly id?: string;
  /** The generation the record must still have; `0`: it must not exist. Otherwise `conflict`, with the current one. */
  readonly ifGeneration?: number;
  /**
   * A retried put with the same id of operation answers as the first did, and writes nothing. `conflict` when the
   * first put under it was a different one. Remembered for at least the store's next 100,000 generations.
   */
  readonly operationId?: string;
  /** Changes only the fields given, and unsets those that are `null`; nested objects are replaced whole. Default false. */
  readonly patch?: false;
}

export interface PatchOptions extends Omit<PutOptions, "patch"> {
  readonly patch: true;
  /** `not_found` when there is none. */
  readonly id: string;
}

export interface Page<Data = RecordData> {
  readonly items: readonly Stored<Data>[];
  /** How many match, on all pages together; counted to 10,000, unless the query says `countAll` or its limit is 0. */
  readonly total: number;
  /** True when more than `total` match. */
  readonly atLeast?: boolean;
  /** For the next page. Absent on the last one. */
  readonly cursor?: string;
  /** True when the query's compaction cut the page. */
  readonly compacted?: boolean;
  /** How many records of this page were left out with `skipDamaged`. The total counts them. */
  readonly damaged?: number;
  /** The store's generation that the page was read at. */
  readonly generation: number;
}

/**
 * Where records live. Records are JSON; no string in them may hold U+0000 or half a surrogate pair, and an indexed string may
 * take at most 1,000 bytes.
 *
 * Every method rejects with a ToolError: `invalid_input` names the field and what would be accepted, `unavailable` the
 * cause when the store cannot be reached, is full, or may only be read. A write that resolved is on disk.
 */
export interface Store {
  /** The id of the workspace that this store reads and writes. What is in another does not exist here. */
  readonly workspace: string;
  /** Ids of the workspaces that this store may open, its own among them; `all` where nothing restricts it. */
  readonly allowedWorkspaces: "all" | readonly string[];
  /**
   * The same store, looking at another workspace: 1 to 100 characters, none of them a control character.
   *
   * @throws ToolError `denied` for a workspace that this store may not open
   */
  in(workspace: string): Store;
  /** The id of every workspace that this store may open and that has a record in it, sorted. */
  workspaces(): Promise<readonly string[]>;
  /** The name that people know a workspace by; its id where it has no other. Several workspaces may have the same name. */
  workspaceName(workspace: string): string;

  /** Inserts, replaces or patches. A replaced record stays closed if it was. */
  put<K extends Kind>(kind: K, record: Input<K>, options?: PutOptions): Promise<Stored<Output<K>>>;
  put<K extends Kind>(kind: K, patch: Patch<Input<K>>, options: PatchOptions): Promise<Stored<Output<K>>>;
  /** Also a closed record. Undefined when there is none. `unavailable` when the kind's schema does not admit what is stored. */
  get<K extends Kind>(kind: K, id: string): Promise<Stored<Output<K>> | undefined>;
  /** `invalid_input` lists the indexed fields when a filter or sort names another. */
  query<K extends Kind>(kind: K, query?: Query): Promise<Page<Output<K>>>;
  /**
   * Soft, and idempotent: what it sets is the kind's, queries leave the record out from then on, and closing it again
   * changes nothing. `not_found` for an unknown id.
   */
  close<K extends Kind>(kind: K, id: string, note?: string): Promise<Stored<Output<K>>>;
  /** Opens a closed record again, its fields as closing left them. Idempotent. `not_found` for an unknown id. */
  reopen<K extends Kind>(kind: K, id: string): Promise<Stored<Output<K>>>;
  /** Removes for good. False when there was none. */
  delete(kind: Kind, id: string): Promise<boolean>;
  /**
   * All or nothing: what `work` rejects with undoes all it wrote. One transaction writes at a time, so `work` sees
   * nothing change under it, and every other writer waits; keep it short. Use the store it is given: a write through another one would
   * wait for itself, and is refused. One inside another undoes its own part alone. A database that several machines share may run `work`
   * again, from the start, when its connection is lost; what the first run wrote is then undone, so `work` does nothing else that counts.
   */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** The store's own counter, over all workspaces and kinds: one step per write, committed in that order. */
  generation(): Promise<number>;
  /**
   * Calls back soon after writes by anyone, in this process or another, with the generation by then; several writes may
   * come as one call. Resolves to a function that ends it.
   */
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  /** Runs work before the store ends, which waits for it: for whoever writes some things later than they happen. It may use the store. */
  beforeEnd(work: () => Promise<void>): void;
}

/** What a store is made of, line by line, for a file that another store reads: first each kind, then its records. */
export type ArchiveLine =
  | { readonly kind: string; readonly indexes: readonly (readonly IndexedField[])[]; readonly text: readonly string[] }
  | {
      readonly kind: string;
      readonly workspace: string;
      readonly id: string;
      readonly generation: number;
      readonly closed: boolean;
      readonly data: RecordData;
    }
  /** The last one: how many records there are. */
  | { readonly records: number };

/** A field with the type it is indexed by. `…s` are arrays. */
export interface IndexedField {
  readonly path: string;
  readonly type: "string" | "number" | "boolean" | "strings" | "numbers";
}

/** Which workspaces a restricted store may open. */
export interface WorkspaceAccess {
  /** `own`: the store's own alone; a list: these beside its own. */
  readonly workspaces: "own" | "all" | readonly string[];
  /** What the refusal of another workspace says to do. */
  readonly hint?: string;
}

/** A store as whoever opened it has it. */
export interface OwnedStore extends Store {
  /** The same store, with only some of its workspaces: what runs calls is given this one. */
  restrict(access: WorkspaceAccess): Store;
  /** Everything in it, of every workspace and kind, as of one moment, by kind and age. It ends with the number of records. */
  export(): AsyncIterable<ArchiveLine>;
  /**
   * Writes every record of an archive, all or none, over those with the same workspace, kind and id. They get new
   * generations past the store's own, in the order of the old ones. No rules run: what was exported obeyed them.
   *
   * @param kinds whose schemas the records must pass; records of other kinds are taken as they are
   * @throws ToolError naming the first line that is wrong
   */
  import(
    lines: AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>,
    kinds?: readonly Kind[],
  ): Promise<{ readonly records: number }>;
  /**
   * What is wrong with the stored data itself; nothing when it is sound.
   *
   * @param kinds whose records must pass their schemas
   */
  check(kinds?: readonly Kind[]): Promise<readonly string[]>;
  /** Finishes what runs, and lets go of files and connections. The store cannot be used again. */
  end(): Promise<void>;
}

/** A record as it is kept: JSON. */
export type RecordData = Readonly<Record<string, unknown>>;

/** What a kind's close function is told. */
export interface Closing {
  /** What whoever closes says of it. */
  readonly note: string | undefined;
  /** The time, as ISO 8601 in UTC. */
  readonly now: string;
}

/** A write that a kind's rule looks at, inside the writing transaction. */
export interface Change<Data = RecordData> {
  readonly operation: "put" | "close" | "reopen" | "delete";
  readonly id: string;
  /** The record as it is; undefined when it is new. */
  readonly before: Stored<Data> | undefined;
  /** The record as it would be written, checked against the schema. On `delete`, as it is. */
  readonly after: Data;
  /** Whether it would then be closed. */
  readonly closed: boolean;
  /** The time, as ISO 8601 in UTC. */
  readonly now: string;
  /** The same transaction. Writes through it run no rules: a rule that changes neighbours has checked them itself. */
  readonly store: Store;
}

/** What a rule makes of a change; what it leaves out stays as proposed. */
export interface Ruling<Data = RecordData> {
  readonly record?: Data;
  readonly closed?: boolean;
}

/** Deprecated tools of a kind. They stay callable, are never listed or found, and answer with a hint to the new door. */
export interface KindAliases {
  /** Takes the record's fields: `reminder_add {text, due}`. */
  readonly put?: readonly string[];
  /** Takes what `store_query` takes, without `kind`. */
  readonly query?: readonly string[];
  /** Takes `{id, note?}`. */
  readonly close?: readonly string[];
}

/** A field, or a dotted path into nested objects: `owner.name`. */
export type FieldPath = string;

/** A record type in the store. Made by `defineKind`. */
export interface Kind<Schema extends ObjectSchema = ObjectSchema> {
  /** Lower-case, singular, at most 40 characters: `issue`. */
  readonly name: string;
  /** One line: what a record is. */
  readonly description: string;
  /** Checks each record before it is written. Keys it does not name are refused, unless it is a `z.looseObject`. */
  readonly schema: Schema;
  /**
   * What filters and sorts may name: strings, numbers, booleans, and arrays of them. Several fields in one entry are
   * indexed together, for queries that filter by the first and sort by the next.
   */
  readonly indexes: readonly (FieldPath | readonly FieldPath[])[];
  /** What full text covers. The first one counts double. */
  readonly text: readonly FieldPath[];
  /** What lists show, in this order. */
  readonly summary: readonly string[];
  /** The fields that closing sets over the record. Default: none. */
  close(record: SchemaOutput<Schema>, closing: Closing): Partial<SchemaInput<Schema>>;
  /**
   * Runs inside the transaction of every write to a record of this kind, through whichever door it comes. It may
   * change what is written, write other records, or refuse by throwing a ToolError, which undoes the whole transaction.
   */
  rule?(
    change: Change<SchemaOutput<Schema>>,
  ): Ruling<SchemaOutput<Schema>> | void | Promise<Ruling<SchemaOutput<Schema>> | void>;
  /** Names a record that is put without an id, inside the transaction. Default: see `newRecordId`. */
  newId?(record: SchemaOutput<Schema>, store: Store): string | Promise<string>;
  /** Its records are its pack's to write: the generic tools read them, and refuse to write them. */
  readonly sealed: boolean;
  /** Fields that the generic tools do not show, since only its pack shows them without secrets. */
  readonly hidden: readonly string[];
  readonly aliases: KindAliases;
  /** Words people use for it or for what is done with it, that its name lacks. */
  readonly keywords: readonly string[];
  /** Records as a caller would put them. */
  readonly examples: readonly RecordData[];
}
