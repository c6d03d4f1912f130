import path from "node:path";
import type { RecordVersion } from "@toolpacks/store";
import { pathsOf, type KeptEntry } from "./entry.ts";

export type History = ReturnType<typeof createHistory>;

interface Change {
  readonly entry: KeptEntry;
  /** By the rule of another record. */
  readonly derived: boolean;
}

/** Which entries have changed a path or a record, and which of them are taken back. */
export function createHistory() {
  const known = new Set<string>();
  const planned = new Set<string>();
  const byPlace = new Map<string, Change[]>();
  const undoers = new Map<string, KeptEntry[]>();
  const changesOf = (place: string) => byPlace.get(place) ?? [];
  /** The entry that takes back an entry, and is not taken back itself. */
  const takenBy = (id: string): KeptEntry | undefined =>
    undoers.get(id)?.find((one) => isWhole(one) && !planned.has(one.id) && takenBy(one.id) === undefined);
  const isTaken = (id = "") => planned.has(id) || takenBy(id) !== undefined;
  return {
    takenBy,
    /** Adds an entry, in any order. */
    add(entry: KeptEntry): void {
      if (known.has(entry.id)) return;
      known.add(entry.id);
      if (entry.undoes !== undefined) push(undoers, entry.undoes, entry);
      for (const place of pathsOf(entry)) push(byPlace, place, { entry, derived: false });
      for (const version of entry.records ?? []) push(byPlace, placeOf(version), { entry, derived: version.derived });
    },
    /** Plans that an entry is taken back. */
    plan: ({ id }: KeptEntry) => void planned.add(id),
    /** What newer entries have changed of a path, also by a move of a folder above it, or of a record. What was taken back is no change, nor what took it back. */
    after({ id, generation }: KeptEntry, place: string): readonly Change[] {
      const above = foldersAbove(place).flatMap((folder) =>
        changesOf(folder).filter(({ entry }) => entry.moved?.from === folder),
      );
      return [...changesOf(place), ...above].filter(
        ({ entry }) =>
          entry.generation > generation && entry.undoes !== id && !isTaken(entry.id) && !isTaken(entry.undoes),
      );
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
  lists.set(key, [...(lists.get(key) ?? []), item]);
}

function foldersAbove(place: string): readonly string[] {
  const folder = path.dirname(place);
  return folder === place ? [] : [folder, ...foldersAbove(folder)];
}
