import { type Kind, type Store, type Stored, ToolError, type ToolContext } from "@toolpacks/core";
import { callerStore, keepVersions, type RecordVersion } from "@toolpacks/store";
import type { Entry, KeptEntry } from "./entry.ts";
import { callName, type Conflict, type Selected } from "./select-entries.ts";
import type { UndoLog } from "./undo-log.ts";

interface RecordUndo extends Pick<Selected, "entries" | "cancelled"> {
  readonly log: UndoLog;
  readonly store: Store;
  readonly context: ToolContext;
  /** The entry of the undo itself. */
  readonly own: Entry;
}

/** A record before and after a step of an undo. */
export interface RecordStep {
  readonly name: string;
  readonly now: object | undefined;
  readonly later: object | undefined;
}

type KnownVersion = RecordVersion & { readonly entry: KeptEntry };

class Tried extends Error {}

/** Takes back the records of entries, the newest first, in one transaction. An entry in conflict is left out. @param isTried whether nothing is to be changed */
export async function undoRecords(
  selected: readonly KeptEntry[],
  { log, store, context, own, ...among }: RecordUndo,
  isTried: (conflicts: readonly Conflict[]) => boolean,
) {
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  /** The versions of each record, the newest first. */
  const versions = Map.groupBy(
    among.entries.flatMap((entry) => (entry.records ?? []).map((one) => ({ ...one, entry })).toReversed()),
    keyOf,
  );
  const done = { undone: [] as KeptEntry[], conflicts: [] as Conflict[], steps: [] as RecordStep[] };
  const undoing = () => ({ ...own, undoes: done.undone.map(({ id }) => id) });
  let [isKept, isUndone] = [false, selected.length > 0];
  const work = async (whole: Store) => {
    Object.assign(done, { undone: [], conflicts: [], steps: [] });
    const [gone, touched] = [new Set(among.cancelled), new Set<string>()];
    const undoEntry = async (entry: KeptEntry, inside: Store) => {
      const steps: RecordStep[] = [];
      const seen = new Set(touched);
      for (const version of (entry.records ?? []).filter(({ derived }) => !derived).toReversed()) {
        const known = versions.get(keyOf(version)) ?? [];
        steps.push(await undoVersion(version, inside, { kinds, known, gone, touched: seen }));
        seen.add(keyOf(version));
      }
      return steps;
    };
    for (const entry of selected) {
      try {
        gone.add(entry.id);
        done.steps.push(
          ...(await whole.transaction((inside) => undoEntry(entry, callerStore(inside, context.principal)))),
        );
        done.undone.push(entry);
        for (const version of entry.records ?? []) touched.add(keyOf(version));
      } catch (error) {
        if (!ToolError.is(error) || error.code === "unavailable") throw error;
        gone.delete(entry.id);
        done.conflicts.push({ entry, reason: error.message });
      }
    }
    if (isTried(done.conflicts)) throw new Tried();
  };
  const keep = (records: readonly RecordVersion[]) => {
    isKept = true;
    log.add({ ...undoing(), at: new Date().toISOString(), records });
  };
  if (selected.length > 0)
    await keepVersions(keep, () => store.transaction(work)).catch((error: unknown) => {
      if (!(error instanceof Tried)) throw error;
      isUndone = false;
    });
  if (isUndone && done.undone.length > 0 && !isKept) log.add({ ...undoing(), records: [] });
  return done;
}

interface Undoing {
  readonly kinds: ReadonlyMap<string, Kind>;
  /** The versions of the record, the newest first. */
  readonly known: readonly KnownVersion[];
  /** Ids of entries whose changes are gone. */
  readonly gone: ReadonlySet<string>;
  /** The records that earlier steps have written. */
  readonly touched: ReadonlySet<string>;
}

/** @throws ToolError with the reason why the version cannot be put back */
async function undoVersion(
  version: RecordVersion,
  store: Store,
  { kinds, known, gone, touched }: Undoing,
): Promise<RecordStep> {
  const { id, before } = version;
  const name = `${version.kind} ${id}`;
  // What rules have derived, they derive anew.
  const later = known.slice(
    0,
    known.findIndex((one) => one.before?.generation === before?.generation && one.generation === version.generation),
  );
  const stays = later.find((one) => !one.derived && !gone.has(one.entry.id));
  if (stays !== undefined) throw new ToolError("conflict", `${name}: it was changed since by ${callName(stays.entry)}`);
  const kind = kinds.get(version.kind);
  if (kind === undefined) throw new ToolError("not_found", `${name}: its kind is not mounted here`);
  const inside = store.in(version.workspace);
  const now = await inside.get(kind, id);
  if (!touched.has(keyOf(version)) && !isKnown(now, known))
    throw new ToolError("conflict", `${name}: another program has changed it since`);
  if (before === null) await inside.delete(kind, id);
  else if (now?.generation !== before.generation) await inside.put(kind, before.data, { id, closed: before.closed });
  return { name, now: now?.data, later: before?.data };
}

/** Whether the newest version explains the record as it is. Versions of a killed call may never have been committed. */
function isKnown(now: Stored | undefined, known: readonly KnownVersion[]): boolean {
  const generation = now?.generation ?? 0;
  const newest = known.find((one) => one.generation === generation || one.before?.generation !== now?.generation);
  return newest === undefined || newest.generation === generation;
}

function keyOf({ workspace, kind, id }: RecordVersion): string {
  return JSON.stringify([workspace, kind, id]);
}
