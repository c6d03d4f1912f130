import type { z } from "zod";
import type { ObjectSchema, SchemaInput, SchemaOutput } from "@toolpacks/schema";
import type { Query } from "./query.ts";

/** A record in the store. */
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

/** The fields of a record to change. `null` removes a field. */
export type Patch<Data> = { readonly [Field in keyof Data]?: Data[Field] | null };

export interface PutOptions {
  /** The id of the record to replace or insert: 1 to 200 characters without control characters. Default: a new id. */
  readonly id?: string;
  /** The expected generation of the record; `0`: it must not exist. If it differs, the put fails with `conflict` and the current generation. */
  readonly ifGeneration?: number;
  /** An id for retries. A second put with it returns the first answer and writes nothing, or fails with `conflict` if it differs. Kept for 100,000 generations. */
  readonly operationId?: string;
  /** Whether the record is closed after the write. The kind's `close` sets no fields. Default: as it is; a new one is open. */
  readonly closed?: boolean;
  /** `restore`: the rule is told that the record is put back (`restores`). False: no rule runs; only for a record that it has accepted before. Default: it runs. */
  readonly rules?: "restore" | false;
  /** Whether only the given fields are changed. `null` removes a field. Nested objects are replaced completely. Default false. */
  readonly patch?: false;
}

export interface PatchOptions extends Omit<PutOptions, "patch"> {
  readonly patch: true;
  /** The id of the record to patch. If it does not exist, the put fails with `not_found`. */
  readonly id: string;
}

export interface Page<Data = RecordData> {
  readonly items: readonly Stored<Data>[];
  /** Number of matches on all pages together. Counted up to 10,000, of a text by rank to 1,000, unless the query has `countTo` or limit 0. */
  readonly total: number;
  /** True if more than `total` records match. */
  readonly atLeast?: boolean;
  /** The cursor of the next page. Absent on the last page. */
  readonly cursor?: string;
  /** True if the query's compaction shortened the page. */
  readonly compacted?: boolean;
  /** Number of records of this page that `skipDamaged` left out. The total includes them. */
  readonly damaged?: number;
  /** The store's generation when the page was read. */
  readonly generation: number;
}

/**
 * A store of records. Records are JSON. Their strings cannot contain U+0000 or lone surrogates. An indexed string can have at most 1,000 bytes.
 *
 * Every method rejects with a ToolError. `invalid_input` names the field and what is accepted. `unavailable` names the cause if the store cannot be
 * reached, is full or is read-only. A write is on disk when it resolves.
 */
export interface Store {
  /** The id of the workspace that this store reads and writes. Records of other workspaces are not visible. */
  readonly workspace: string;
  /** Ids of the workspaces that this store can open, including its own. `all`: no restriction. */
  readonly allowedWorkspaces: "all" | readonly string[];
  /**
   * The same store in another workspace. Its id has 1 to 100 characters without control characters.
   *
   * @throws ToolError `denied` for a workspace that this store cannot open
   */
  in(workspace: string): Store;
  /** The ids of all workspaces that this store can open and that have a record, sorted. */
  workspaces(): Promise<readonly string[]>;
  /** The name of a workspace for people, or its id if it has no name. Several workspaces can have the same name. */
  workspaceName(workspace: string): string;
  /** Inserts, replaces or patches a record. A closed record stays closed. */
  put<K extends Kind>(kind: K, record: Input<K>, options?: PutOptions): Promise<Stored<Output<K>>>;
  put<K extends Kind>(kind: K, patch: Patch<Input<K>>, options: PatchOptions): Promise<Stored<Output<K>>>;
  /** Reads a record, open or closed. Undefined if there is none. `unavailable` if it does not match the schema of its kind. */
  get<K extends Kind>(kind: K, id: string): Promise<Stored<Output<K>> | undefined>;
  /** Finds records. `invalid_input` lists the indexed fields if a filter or sort uses another field. */
  query<K extends Kind>(kind: K, query?: Query): Promise<Page<Output<K>>>;
  /**
   * Closes a record (a soft delete). It sets the fields that the kind defines. Queries leave closed records out. Closing again changes nothing.
   * `not_found` for an unknown id.
   */
  close<K extends Kind>(kind: K, id: string, note?: string): Promise<Stored<Output<K>>>;
  /** Reopens a closed record and keeps its fields. Reopening again changes nothing. `not_found` for an unknown id. */
  reopen<K extends Kind>(kind: K, id: string): Promise<Stored<Output<K>>>;
  /** Deletes a record permanently. False if there was none. */
  delete(kind: Kind, id: string, options?: Pick<PutOptions, "rules">): Promise<boolean>;
  /**
   * Runs work in a transaction. If `work` rejects, all its writes are undone. Only one transaction writes at a time and all other writers wait, so
   * keep it short. `work` must use the store that it gets; a write through another store is rejected, because it would wait for this transaction. A
   * nested transaction undoes only its own writes. If the connection to a shared database is lost, `work` may run again from the start after its
   * writes are undone, so it should have no other side effects.
   */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** The store's counter of writes, for all workspaces and kinds. Writes are committed in this order. */
  generation(): Promise<number>;
  /**
   * Calls the listener soon after a write of this or another process, with the new generation. Several writes can cause one call. Resolves to a
   * function that stops this.
   */
  watch(listener: (generation: number) => void): Promise<() => Promise<void>>;
  /**
   * Registers work that runs before the store ends, such as flushing a write-behind queue. The work can use the store.
   *
   * @param flush writes the queue when a flush of the store is requested
   */
  beforeEnd(work: () => Promise<void>, flush?: () => Promise<void>): void;
}

/** A line of an archive, which another store can import. Each kind is followed by its records. */
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
  /** The last line: the number of records. */
  | { readonly records: number };

/** An indexed field with its type. `strings` and `numbers` are arrays. */
export interface IndexedField {
  readonly path: string;
  readonly type: "string" | "number" | "boolean" | "strings" | "numbers";
}

/** The workspaces that a restricted store can open. */
export interface WorkspaceAccess {
  /** Id of the restricted store's own workspace. Default: the own workspace of the store. */
  readonly workspace?: string;
  /** `own`: only the restricted store's own workspace. A list: these and its own. */
  readonly workspaces: "own" | "all" | readonly string[];
  /** The hint of the error for another workspace. */
  readonly hint?: string;
  /**
   * How the store takes part in tool calls. `noticed`: `sayElsewhere` sees its empty queries. `followed`: it also is in the workspace that the running
   * call chooses by `runInWorkspace`. Default: it takes no part.
   */
  readonly calls?: "noticed" | "followed";
}

/** A store with some of the workspaces of another store, which stays open after this one has ended. */
export interface RestrictedStore extends Store {
  /** Runs the work that was registered on this store (`beforeEnd`), such as flushing a queue. Never rejects. */
  end(): Promise<void>;
}

/** The store with all functions, for the code that opened it. */
export interface OwnedStore extends Store {
  /** The same store with only some of its workspaces. Tool calls get this store. It ends with the store, or before. */
  restrict(access: WorkspaceAccess): RestrictedStore;
  /**
   * The store of the server's own records, such as sign-ins. They are in a workspace that no other store can open or list, without a limit of size. No
   * pack may declare their kinds, so that generic tools do not show them.
   */
  internal(): Store;
  /** Like `internal`, for records that are of use in this store only, such as earlier versions. Archives leave them out. */
  local(): Store;
  /** Exports all records of all workspaces in one consistent state, ordered by kind and age. The last line is the number of records. */
  export(): AsyncIterable<ArchiveLine>;
  /**
   * Imports all records of an archive, or none. Records with the same workspace, kind and id are replaced. The records get new generations after
   * the store's own, in their old order. Rules do not run, because they ran before the export.
   *
   * @param kinds kinds whose schemas the records must match; records of other kinds are not checked
   * @throws ToolError naming the first wrong line
   */
  import(
    lines: AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>,
    kinds?: readonly Kind[],
  ): Promise<{ readonly records: number }>;
  /**
   * Moves the records of a workspace into another one, or none if it fails. Rules do not run. Kinds and ids of records that stay are in `stayed`: a record
   * whose id is taken there, and the one with the workspace's own id, which describes it.
   */
  move(from: string, to: string): Promise<{ readonly moved: number; readonly stayed: readonly string[] }>;
  /**
   * Checks the stored data. Returns the problems.
   *
   * @param kinds kinds whose records must match their schemas
   */
  check(kinds?: readonly Kind[]): Promise<readonly string[]>;
  /** Writes what is queued, such as traces, so that other processes see it. Never rejects. */
  flush(): Promise<unknown>;
  /** Waits for running calls, and closes files and connections. The store cannot be used again. */
  end(): Promise<void>;
}

/** The data of a record, as JSON. */
export type RecordData = Readonly<Record<string, unknown>>;

/** The arguments of closing a record. */
export interface Closing {
  /** The note of the caller. */
  readonly note: string | undefined;
  /** The current time, as ISO 8601 in UTC. */
  readonly now: string;
}

/** A write that a kind's rule checks, inside the transaction. */
export interface Change<Data = RecordData> {
  readonly operation: "put" | "close" | "reopen" | "delete";
  readonly id: string;
  /** The stored record. Undefined if it is new. */
  readonly before: Stored<Data> | undefined;
  /** The validated record to write. On `delete`, the stored record. */
  readonly after: Data;
  /** Whether the record is closed after the write. */
  readonly closed: boolean;
  /** Whether the record is put back as it was before a call that is undone. */
  readonly restores: boolean;
  /** The time, as ISO 8601 in UTC. */
  readonly now: string;
  /** The store of the same transaction. Writes through it run no rules, so a rule must check other records that it changes. */
  readonly store: Store;
}

/** The changes of a rule to a write. Absent fields are not changed. */
export interface Ruling<Data = RecordData> {
  readonly record?: Data;
  readonly closed?: boolean;
}

/** The path of a field. Dots separate nested objects: `owner.name`. */
export type FieldPath = string;

/** A range of times or dates, as strings. */
export interface TimeRange {
  readonly gt?: string | undefined;
  readonly gte?: string | undefined;
  readonly lt?: string | undefined;
  readonly lte?: string | undefined;
}

/** How records of a kind recur. Queries over a range of times then show each occurrence in it. */
export interface RecurringRecords<Data = RecordData> {
  /** The indexed field with the time of a record. */
  readonly time: FieldPath;
  /** The indexed field that only recurring records have. */
  readonly rule: FieldPath;
  /** Returns the times of a recurring record in a range that has an end, earliest first, at most `max`. */
  occurrences(record: Data, range: TimeRange, max: number): readonly string[] | Promise<readonly string[]>;
}

/** A record type in the store. Created by `defineKind`. */
export interface Kind<Schema extends ObjectSchema = ObjectSchema> {
  /** The name: lower-case, singular, at most 40 characters, such as `issue`. */
  readonly name: string;
  /** What a record is, in one line. */
  readonly description: string;
  /** The schema of a record. Unknown keys are rejected, unless it is a `z.looseObject`. */
  readonly schema: Schema;
  /**
   * The fields that filters and sorts can use: strings, numbers, booleans, and arrays of strings or numbers. Several fields in one entry are indexed
   * together, for queries that filter by the first and sort by the next.
   */
  readonly indexes: readonly (FieldPath | readonly FieldPath[])[];
  /** The fields that full text covers. The first field counts double. */
  readonly text: readonly FieldPath[];
  /** The text fields by whose meaning queries for any word find records, too, also if they share no word with it. Default: none. */
  readonly meaning: readonly FieldPath[];
  /** The fields that lists show, in this order. */
  readonly summary: readonly string[];
  /** Returns the fields that closing sets. Default: none. */
  close(record: SchemaOutput<Schema>, closing: Closing): Partial<SchemaInput<Schema>>;
  /** Checks every write to a record, inside its transaction. It can change the record, write others, or reject the write with a ToolError, which undoes all. */
  rule?(
    change: Change<SchemaOutput<Schema>>,
  ): Ruling<SchemaOutput<Schema>> | void | Promise<Ruling<SchemaOutput<Schema>> | void>;
  /** Fields that only the rule sets, from other records. Where given, also as none, the rule knows `restores`; otherwise undo puts back all that it has changed. */
  readonly derived?: readonly string[] | undefined;
  /** Creates the id of a record that is put without one, inside the transaction. Default: `newRecordId`. */
  newId?(record: SchemaOutput<Schema>, store: Store): string | Promise<string>;
  /** Whether only its pack can write the records. The generic tools can still read them. */
  readonly sealed: boolean;
  /**
   * The indexed string field with the principal whose record it is. A principal sees and changes only its own records, through `callerStore`. Records
   * without the field belong to the local user, who owns the store and sees all. Undefined: all callers share the records.
   */
  readonly owner?: FieldPath;
  /** Fields that the generic tools do not show, because only its pack masks the secrets in them. */
  readonly hidden: readonly string[];
  readonly recurring?: RecurringRecords<SchemaOutput<Schema>>;
  /** Words that people use for the kind and that its name lacks. */
  readonly keywords: readonly string[];
  /** Example records, as a caller puts them. */
  readonly examples: readonly RecordData[];
}
