import { defineKind, isObject, type Store } from "@toolpacks/core";
import { everyRecord, newRecordId, type RecordVersion, type UnpagedQuery } from "@toolpacks/store";
import { z } from "zod";
import type { FileChange, Leaf } from "./leaf.ts";

/** A move of an entry of the file system, with all below it. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly leaf: Leaf;
}

/** What one call changed: files, or the records of one transaction. A call may have several entries. */
export interface Entry {
  readonly id?: string;
  /** The store's generation when it was first written. */
  readonly generation?: number;
  readonly call: string;
  /** The outermost call around it: a batch, a workflow or a script. Otherwise its own id. */
  readonly unit: string;
  /** The first report of the workflow that made the call. */
  readonly run?: string | undefined;
  readonly tool: string;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly principal: string;
  /** The workspace of the call. */
  readonly place: string;
  /** When the call ended, as ISO 8601 in UTC. */
  readonly at: string;
  readonly files?: readonly FileChange[] | undefined;
  readonly moved?: Move | undefined;
  readonly records?: readonly RecordVersion[] | undefined;
  /** The call that takes back a call of another server. */
  readonly inverse?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
  /** Why the call cannot be taken back. */
  readonly problem?: string | undefined;
  /** The id of the entry that this one takes back. */
  readonly undoes?: string;
  /** The tool that a caller needs in order to take it back, if that is not its own: of an undo, the one whose call it took back. */
  readonly needs?: string;
  /** The process of a call that has not ended, or was killed: its machine and id. */
  readonly running?: string | undefined;
  /** The call was killed or failed on its way: it has not taken back all that `undoes` says. */
  readonly isPartial?: boolean;
}

/** An entry in the store. */
export type KeptEntry = Entry & { readonly id: string; readonly generation: number };

/** No pack declares the kind, so that no tool reads or writes it. */
export const entryKind = defineKind({
  name: "undo_entry",
  schema: () => z.object({ entry: z.custom<Entry>(isObject), running: z.string().optional() }),
  indexes: ["running"],
});

/** What was dropped because of the limits. */
export const droppedKind = defineKind({
  name: "undo_dropped",
  schema: () => z.object({ count: z.int(), until: z.string().describe("the time of the newest one") }),
});

const maxEntryBytes = 8_000_000;

/** Entries, also of calls that have not ended. Default: all, the newest first. */
export async function* storedEntries(local: Store, query: UnpagedQuery = { sort: ["-id"] }) {
  const records = everyRecord(local, entryKind, { ...query, pageSize: 100, skipDamaged: true });
  for await (const { id, data, generation } of records) yield { generation, ...data.entry, id };
}

/** @throws Error if an entry is too large to be stored */
export function requireSize(entry: Entry): void {
  if (JSON.stringify(entry).length > maxEntryBytes) throw new Error("it changes too much");
}

/** Writes an entry, such as in the transaction of its records. @throws Error if it is too large */
export async function putEntry(local: Store, entry: Entry): Promise<KeptEntry> {
  requireSize(entry);
  const { id = newRecordId() } = entry;
  const { generation } = await local.put(entryKind, { entry, running: entry.running }, { id });
  return { generation, ...entry, id };
}

/** What a transaction has done to each record, in the order of the last writes that no rule of another record has made. */
export function netVersions(versions: readonly RecordVersion[]): readonly RecordVersion[] {
  const last = new Map<string, RecordVersion>();
  for (const version of versions) {
    const place = placeOf(version);
    const earlier = last.get(place);
    if (!version.derived) last.delete(place);
    const derived = version.derived && earlier?.derived !== false;
    last.set(place, { ...version, before: (earlier ?? version).before, derived });
  }
  return [...last.values()].filter(({ before, generation }) => before !== null || generation !== 0);
}

/** A name of a record that differs from those of all other records and paths. */
export function placeOf({ workspace, kind, id }: RecordVersion): string {
  return JSON.stringify([workspace, kind, id]);
}

/** What an entry has written, but not by rules of other records, the newest first. */
export function directVersions({ records = [] }: Entry): readonly RecordVersion[] {
  return records.filter(({ derived }) => !derived).toReversed();
}

/** The paths of the files that an entry changes or moves. */
export function pathsOf({ files = [], moved }: Pick<Entry, "files" | "moved">): readonly string[] {
  return [...files.map(({ path }) => path), ...(moved === undefined ? [] : [moved.from, moved.to])];
}

/** What an entry changed, in words: `changed docs/a.md`, `deleted note n1`. @param show gives the path that a caller knows */
export function changesOf(
  entry: Pick<Entry, "files" | "moved" | "records" | "inverse" | "problem">,
  show: (real: string) => string,
): string[] {
  const { files = [], moved, records = [], inverse, problem } = entry;
  const verb = (before: unknown, after: unknown) =>
    before === null ? "created" : after === null ? "deleted" : "changed";
  return [
    ...(moved === undefined ? [] : [`moved ${show(moved.from)} to ${show(moved.to)}`]),
    ...files.map(({ path, before, after }) => `${verb(before, after)} ${show(path)}`),
    ...records.flatMap(({ derived, before, generation, kind, id }) =>
      derived ? [] : [`${verb(before, generation || null)} ${kind} ${id}`],
    ),
    ...(inverse === undefined ? [] : [`undo calls ${inverse.tool} ${JSON.stringify(inverse.args)}`]),
    ...(problem === undefined ? [] : [`cannot be taken back: ${problem}`]),
  ];
}

const maxShown = 5;

/** The changes of a call for a line of text. */
export function shownChanges(changes: readonly string[]): string {
  const more = changes.length - maxShown;
  return [...changes.slice(0, maxShown), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
