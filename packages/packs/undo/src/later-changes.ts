import type { RecordVersion } from "@toolpacks/store";
import { pathsOf, type KeptEntry } from "./entry.ts";

export type LaterChanges = ReturnType<typeof findLaterChanges>;

/** Finds who has changed a path or a record after an entry. */
export function findLaterChanges(newestFirst: readonly KeptEntry[], taken: ReadonlyMap<string, KeptEntry>) {
  /** Ids of entries whose changes are gone, or will be: what was taken back, and what took it back. */
  const gone = new Set([...taken].flatMap(([id, by]) => [id, by.id]));
  const changesOf = (entry: KeptEntry) => [
    ...pathsOf(entry).map((place) => ({ place, entry, derived: false })),
    ...(entry.records ?? []).map((version) => ({ place: placeOf(version), entry, derived: version.derived })),
  ];
  const byPlace = Map.groupBy(newestFirst.flatMap(changesOf), ({ place }) => place);
  /** The changes of a place by newer entries, the newest first. `derived`: by the rule of another record. */
  const after = ({ generation }: KeptEntry, place: string) =>
    (byPlace.get(place) ?? []).filter(({ entry }) => entry.generation > generation && !gone.has(entry.id));
  /** The newest entry that has changed the same after an entry, and is no part of its undo. */
  const newest = (entry: KeptEntry) =>
    changesOf(entry)
      .flatMap(({ place }) => after(entry, place))
      .find((one) => !one.derived && one.entry.undoes !== entry.id)?.entry;
  return { gone, after, newest };
}

/** A name of a record that differs from those of all other records and paths. */
export function placeOf({ workspace, kind, id }: RecordVersion): string {
  return JSON.stringify([workspace, kind, id]);
}
