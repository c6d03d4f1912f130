import path from "node:path";
import { type Store, ToolError, type ToolContext } from "@toolpacks/core";
import type { RecordVersion } from "@toolpacks/store";
import { directVersions, pathsOf, placeOf, storedEntries, type Entry, type KeptEntry } from "./entry.ts";
import type { OpenUndo } from "./open-undo.ts";

interface Change {
  readonly entry: KeptEntry;
  /** Of a record. */
  readonly version?: RecordVersion;
}

/** What the store has of a record. Null or undefined: nothing. */
export type RecordState = RecordVersion["before"] | undefined;

/** Which entries have changed a path or a record, and which of them are taken back. */
export function createHistory() {
  const generations = new Map<string, number>();
  const planned = new Set<string>();
  const byPlace = new Map<string, Change[]>();
  const undoers = new Map<string, KeptEntry[]>();
  const folders = new Set<string>();
  const changesOf = (place: string) => byPlace.get(place) ?? [];
  /** The entry that takes back an entry, and is not taken back itself. */
  const takenBy = (id: string): KeptEntry | undefined =>
    undoers.get(id)?.find((one) => isWhole(one) && !planned.has(one.id) && takenBy(one.id) === undefined);
  const isTaken = (id: string) => planned.has(id) || takenBy(id) !== undefined;
  return {
    takenBy,
    /** The undos of an entry that were killed, or have failed on their way, and are not taken back. */
    halves: (id: string) => (undoers.get(id) ?? []).filter((one) => !isWhole(one) && takenBy(one.id) === undefined),
    /** Whether a call has made or moved a folder. */
    hasMade: (inode: string) => folders.has(inode),
    /** Adds an entry, in any order. */
    add(entry: KeptEntry): void {
      if (generations.has(entry.id)) return;
      generations.set(entry.id, entry.generation);
      if (entry.undoes !== undefined) push(undoers, entry.undoes, entry);
      const left = [entry.moved?.leaf, ...(entry.files ?? []).map(({ after }) => after)];
      for (const leaf of left) if (leaf?.type === "folder") folders.add(leaf.inode);
      for (const place of pathsOf(entry)) push(byPlace, place, { entry });
      for (const version of entry.records ?? []) push(byPlace, placeOf(version), { entry, version });
    },
    /** Plans that an entry is taken back. */
    plan: ({ id }: KeptEntry) => void planned.add(id),
    /** A record as an entry has left it. `isKnown`: each write of it since is known, so that none is lost. @param now what the store has */
    leftBy({ generation }: KeptEntry, version: RecordVersion, now: RecordState) {
      const since = changesOf(placeOf(version)).filter(({ entry }) => entry.generation >= generation);
      const versions = since.toSorted((a, b) => a.entry.generation - b.entry.generation).map((one) => one.version);
      const later: readonly RecordState[] = [...versions.slice(1).map((one) => one?.before), now];
      return { isKnown: versions.every((one, at) => one?.generation === (later[at]?.generation ?? 0)), left: later[0] };
    },
    /** What newer entries have changed of a path, also by a move of a folder above it, or of a record. A newer one that was taken back is no change, nor what took it back. */
    after({ id, generation }: KeptEntry, place: string): readonly Change[] {
      const isNoChange = (one = "") => isTaken(one) && (generations.get(one) ?? 0) >= generation;
      const above = foldersAbove(place).flatMap((folder) =>
        changesOf(folder).filter(({ entry: { moved } }) => moved?.from === folder || moved?.to === folder),
      );
      return [...changesOf(place), ...above].filter(
        ({ entry }) =>
          entry.generation > generation && entry.undoes !== id && !isNoChange(entry.id) && !isNoChange(entry.undoes),
      );
    },
  };
}

/** An undo that was killed, or has not ended, has not done all of it. */
function isWhole({ isPartial = false, running }: KeptEntry): boolean {
  return !isPartial && running === undefined;
}

/** Adds an item to the list of a key. */
function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function foldersAbove(place: string): readonly string[] {
  const folder = path.dirname(place);
  return folder === place ? [] : [folder, ...foldersAbove(folder)];
}

const facts = ["call", "unit", "run", "session", "agent", "tool"] as const;

/** Facts that entries have, and a time in ISO 8601 or a generation after which they are. */
export type Selection = Partial<Record<(typeof facts)[number], string | undefined>> & {
  readonly since?: string | number | undefined;
};

export type Selected = Awaited<ReturnType<typeof selectEntries>>;

/** Takes back one sort of entries, the newest first. All of them are planned before anything is changed. */
export interface UndoPart {
  readonly has: (entry: KeptEntry) => boolean;
  /** @throws ToolError with the reason why an entry cannot be taken back */
  plan(entry: KeptEntry): Promise<void>;
  /** Takes back an entry. Returns why that cannot be taken back. @param own the entry of that */
  undo(entry: KeptEntry, own: Entry): Promise<string | undefined>;
  /** What is planned, as unified diffs. */
  diff(): Promise<readonly string[]>;
}

/**
 * Selects the entries of calls that were not taken back yet.
 *
 * @returns them, and all entries, the newest first
 * @throws ToolError `not_found` if there are none
 */
export async function selectEntries(opened: OpenUndo, selection: Selection, context: ToolContext) {
  const { log, show } = opened;
  const isVisible = (entry: KeptEntry) => opened.isVisible(entry, context);
  let sinceGeneration = await log.local.generation();
  // Ids are made before a call waits for others.
  const entries = (await Array.fromAsync(log.newestFirst())).toSorted((a, b) => b.generation - a.generation);
  const history = createHistory();
  for (const entry of entries) history.add(entry);
  const isMatch = (entry: KeptEntry) => entry.running === undefined && isVisible(entry) && matches(entry, selection);
  const matching = new Set(entries.filter(isMatch).map(({ id }) => id));
  const known = new Set(entries.map(({ id }) => id));
  const isOne = (selection.call ?? selection.unit) !== undefined;
  /** What an undo took back is selected, too, or was dropped: together they change nothing. */
  const isPair = (undoes: string | undefined) =>
    undoes !== undefined && (matching.has(undoes) || (!isOne && !known.has(undoes)));
  const wanted = entries.filter(({ id }) => matching.has(id) && history.takenBy(id) === undefined);
  const unpaired = wanted.filter((one) => !isWhole(one) || !isPair(one.undoes));
  // A half undo goes on with the undo of what it took back, if that is selected.
  const selected = unpaired.filter((one) => isWhole(one) || !unpaired.some(({ id }) => id === one.undoes));
  const [name] = Object.entries(selection).find(([, value]) => value !== undefined) ?? ["call"];
  const problem = matching.size > 0 ? "it was taken back already" : `no such ${name}`;
  if (selected.length === 0 && selection.since === undefined)
    throw new ToolError("not_found", problem, "undo_list shows the calls.");
  /** @throws ToolError `conflict` if a call has changed the same after the call of an entry. @param inside a transaction that locks out further calls */
  const requireNewest = async (entry: KeptEntry, inside?: Store) => {
    // What a transaction reads may not stay.
    const generation = inside === undefined ? await log.local.generation() : sinceGeneration;
    for await (const one of storedEntries(inside ?? log.local, { sinceGeneration })) history.add(one);
    sinceGeneration = generation;
    const places = [
      ...pathsOf(entry).map((one) => ({ place: one, name: show(one), isCreated: false })),
      ...directVersions(entry).map((one) => ({
        place: placeOf(one),
        name: `${one.kind} ${one.id}`,
        isCreated: one.before === null,
      })),
    ];
    for (const { place, name, isCreated } of places) {
      // A rule that has changed a new record since may lead to it.
      const other = history.after(entry, place).find(({ version }) => version?.derived !== true || isCreated)?.entry;
      if (other === undefined) continue;
      const next = isVisible(other) ? `take back ${callName(other)} first` : "another caller changed it";
      throw new ToolError("conflict", `${name}: it was changed since; ${next}`);
    }
  };
  return { opened, context, selected, entries, history, requireNewest };
}

/** Whether an entry has all that is selected. */
export function matches(entry: KeptEntry, { since = 0, ...wanted }: Selection): boolean {
  // Records are written before their entry.
  const generation = Math.max(0, ...directVersions(entry).map((one) => one.generation)) || entry.generation;
  const isLater = typeof since === "number" ? generation > since : Date.parse(entry.at) > Date.parse(since);
  return isLater && facts.every((name) => (wanted[name] ?? entry[name]) === entry[name]);
}

/** Names a call for a person: `fs_write 1f2e-3 session abc at 2027-01-31T09:00:00Z`. */
function callName({ call, tool, agent, session, at }: KeptEntry): string {
  return `${[tool, call, agent, session && `session ${session}`].filter(Boolean).join(" ")} at ${at}`;
}
