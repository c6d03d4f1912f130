import path from "node:path";
import { type Store, ToolError } from "@toolpacks/core";
import type { RecordVersion } from "@toolpacks/store";
import { pathsOf, storedEntries, type KeptEntry } from "./entry.ts";

export type History = ReturnType<typeof createHistory>;

interface Change {
  readonly entry: KeptEntry;
  /** By the rule of another record. */
  readonly derived: boolean;
}

/** Which entries have changed a path or a record, and which of them are taken back. Entries are added in any order. */
export function createHistory() {
  const ids = new Set<string>();
  /** The entries that will be taken back. */
  const planned = new Set<string>();
  const byPlace = new Map<string, Change[]>();
  const undoers = new Map<string, KeptEntry[]>();
  /** The entry that takes back an entry, and is not taken back itself. */
  const takenBy = (id: string): KeptEntry | undefined =>
    undoers.get(id)?.find((one) => isWhole(one) && !planned.has(one.id) && takenBy(one.id) === undefined);
  const isTaken = (id = "") => planned.has(id) || takenBy(id) !== undefined;
  /** Changes of a path, also by a move of a folder above it, or of a record by newer entries. What was taken back is none, nor what took it back. */
  const after = ({ id, generation }: KeptEntry, place: string) => {
    const above = foldersAbove(place).flatMap((folder) =>
      (byPlace.get(folder) ?? []).filter(({ entry }) => entry.moved?.from === folder),
    );
    return [...(byPlace.get(place) ?? []), ...above].filter(
      ({ entry }) =>
        entry.generation > generation && entry.undoes !== id && !isTaken(entry.id) && !isTaken(entry.undoes),
    );
  };
  const add = (entry: KeptEntry) => {
    ids.add(entry.id);
    if (entry.undoes !== undefined) push(undoers, entry.undoes, entry);
    for (const place of pathsOf(entry)) push(byPlace, place, { entry, derived: false });
    for (const version of entry.records ?? []) push(byPlace, placeOf(version), { entry, derived: version.derived });
  };
  return {
    add,
    takenBy,
    after,
    /** Plans that an entry is taken back. */
    plan: ({ id }: KeptEntry) => void planned.add(id),
    /** @throws ToolError `conflict` if a newer entry has changed the same as an entry. @param nameOf names a place, or a call */
    requireNewest(entry: KeptEntry, nameOf: { place(path: string): string; call(entry: KeptEntry): string }): void {
      const { records = [] } = entry;
      const places = [
        ...pathsOf(entry).map((one) => [one, nameOf.place(one)] as const),
        ...records.filter(({ derived }) => !derived).map((one) => [placeOf(one), `${one.kind} ${one.id}`] as const),
      ];
      for (const [place, name] of places) {
        const other = after(entry, place).find(({ derived }) => !derived)?.entry;
        if (other === undefined) continue;
        throw new ToolError("conflict", `${name}: it was changed since; ${nameOf.call(other)} changed it`);
      }
    },
    /** Adds the entries that were written after a generation. */
    async addSince(local: Store, sinceGeneration: number): Promise<void> {
      for await (const entry of storedEntries(local, { sinceGeneration })) if (!ids.has(entry.id)) add(entry);
    },
  };
}

/** An undo that was killed, or has not ended, has not done all of it. */
function isWhole({ isPartial = false, running }: KeptEntry): boolean {
  return !isPartial && running === undefined;
}

/** A name of a record that differs from those of all other records and paths. */
export function placeOf({ workspace, kind, id }: RecordVersion): string {
  return JSON.stringify([workspace, kind, id]);
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function foldersAbove(place: string): readonly string[] {
  const folder = path.dirname(place);
  return folder === place ? [] : [folder, ...foldersAbove(folder)];
}
