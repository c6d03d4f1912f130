import type { RecordVersion } from "@toolpacks/store";
import { pathsOf, type KeptEntry } from "./entry.ts";

export type LaterChanges = ReturnType<typeof findLaterChanges>;

/** Finds who has changed a path or a record after an entry. */
export function findLaterChanges(newestFirst: readonly KeptEntry[]) {
  /** The entries that will be taken back. */
  const planned = new Set<string>();
  /** Ids of entries whose changes are gone, or will be: what was taken back, and what took it back. Without an undo, what it took back is there again. */
  const findGone = () => {
    const taken = takenBack(newestFirst.filter(({ id }) => !planned.has(id)));
    return new Set([...planned, ...[...taken].flatMap(([id, by]) => [id, by.id])]);
  };
  let gone = findGone();
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
  /** Plans that an entry is taken back. */
  const plan = ({ id, undoes }: KeptEntry) => {
    planned.add(id);
    if (undoes === undefined) gone.add(id);
    else gone = findGone();
  };
  return { after, newest, plan };
}

/** A name of a record that differs from those of all other records and paths. */
export function placeOf({ workspace, kind, id }: RecordVersion): string {
  return JSON.stringify([workspace, kind, id]);
}

/** The entries that are taken back, by their ids, with those that took them back. A killed undo has not done all of it. */
export function takenBack(newestFirst: Iterable<KeptEntry>, taken = new Map<string, KeptEntry>()) {
  for (const entry of newestFirst) {
    const { id, undoes, isPartial = false } = entry;
    if (undoes !== undefined && !isPartial && !taken.has(id) && !taken.has(undoes)) taken.set(undoes, entry);
  }
  return taken;
}
