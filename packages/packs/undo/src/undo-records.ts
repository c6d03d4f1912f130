import { type Kind, type Store, type Stored, ToolError, type ToolContext } from "@toolpacks/core";
import { callerStore, type KeepVersions, keepVersions, type RecordVersion } from "@toolpacks/store";
import type { CallFacts, KeptEntry } from "./entry.ts";
import { keeperOf } from "./keep-call.ts";
import { callName, type Conflict } from "./select-entries.ts";
import type { UndoLog } from "./undo-log.ts";

interface RecordUndo {
  readonly log: UndoLog;
  readonly store: Store;
  readonly context: ToolContext;
  readonly facts: CallFacts;
  readonly entries: readonly KeptEntry[];
  readonly cancelled: ReadonlySet<string>;
  /** Whether the changes are only tried. */
  readonly isTried: boolean;
}

/** A record before and after a step of an undo. */
export interface RecordStep {
  readonly name: string;
  readonly now: object | undefined;
  readonly then: object | undefined;
}

class Tried extends Error {}

/** Takes back the records of entries, the newest first, in one transaction. An entry in conflict is left out. */
export async function undoRecords(
  selected: readonly KeptEntry[],
  { log, store, context, facts, ...options }: RecordUndo,
) {
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  const versions = Map.groupBy(
    options.entries.flatMap((entry) => (entry.records ?? []).map((one) => ({ ...one, entry }))),
    keyOf,
  );
  let [undone, conflicts, steps]: [KeptEntry[], Conflict[], RecordStep[]] = [[], [], []];
  let isKept = false;
  const undoes = () => ({ ...facts, undoes: undone.map(({ id }) => id) });
  const keep: KeepVersions = (records) => {
    isKept = true;
    return keeperOf(log, undoes())(records);
  };
  const work = async (whole: Store) => {
    [undone, conflicts, steps] = [[], [], []];
    const [gone, touched] = [new Set(options.cancelled), new Set<string>()];
    for (const entry of selected) {
      try {
        steps.push(
          ...(await whole.transaction((own) =>
            undoEntry(entry, callerStore(own, context.principal), { kinds, versions, gone, touched }),
          )),
        );
        undone.push(entry);
        gone.add(entry.id);
        for (const version of entry.records ?? []) touched.add(keyOf(version));
      } catch (error) {
        if (!ToolError.is(error) || error.code === "unavailable") throw error;
        conflicts.push({ entry, reason: error.message });
      }
    }
    if (options.isTried) throw new Tried();
  };
  if (selected.length > 0)
    await keepVersions(keep, () => store.transaction(work)).catch((error: unknown) => {
      if (!(error instanceof Tried)) throw error;
    });
  if (undone.length > 0 && !isKept && !options.isTried) log.add({ ...undoes(), records: [] });
  return { undone, conflicts, steps };
}

interface KnownVersion extends RecordVersion {
  readonly entry: KeptEntry;
}

interface Undoing {
  readonly kinds: ReadonlyMap<string, Kind>;
  /** The versions of each record, the newest first. */
  readonly versions: ReadonlyMap<string, readonly KnownVersion[]>;
  /** Ids of entries whose changes are gone. */
  readonly gone: ReadonlySet<string>;
  /** The records that earlier steps have written. */
  readonly touched: ReadonlySet<string>;
}

/** Takes back the records of one entry. @throws ToolError with the reason why that is not possible */
async function undoEntry(
  entry: KeptEntry,
  store: Store,
  { kinds, versions, gone, touched }: Undoing,
): Promise<readonly RecordStep[]> {
  const steps: RecordStep[] = [];
  for (const version of (entry.records ?? []).toReversed()) {
    // Rules derive these anew.
    if (version.derived) continue;
    const { id, before } = version;
    const name = `${version.kind} ${id}`;
    const known = versions.get(keyOf(version)) ?? [];
    const later = known.slice(
      0,
      known.findIndex((one) => one.entry.id === entry.id),
    );
    const stays = later.find((one) => !one.derived && !gone.has(one.entry.id));
    if (stays !== undefined)
      throw new ToolError("conflict", `${name}: it was changed since by ${callName(stays.entry)}`);
    const kind = kinds.get(version.kind);
    if (kind === undefined) throw new ToolError("not_found", `${name}: its kind is not mounted here`);
    const inside = store.in(version.workspace);
    const now = await inside.get(kind, id);
    if (!touched.has(keyOf(version)) && !isKnown(now, known))
      throw new ToolError("conflict", `${name}: another program has changed it since`);
    if (before === null) await inside.delete(kind, id);
    else if (now?.generation !== before.generation) await inside.put(kind, before.data, { id, closed: before.closed });
    steps.push({ name, now: now?.data, then: before?.data });
  }
  return steps;
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
