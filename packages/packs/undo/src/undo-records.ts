import { type Kind, type Store, ToolError, type ToolContext } from "@toolpacks/core";
import { callerStore, keepVersions, type RecordVersion } from "@toolpacks/store";
import type { Entry, KeptEntry } from "./entry.ts";
import { callName, type Conflict, type Selected } from "./select-entries.ts";
import { putEntry } from "./stored-entries.ts";

interface RecordUndo extends Pick<Selected, "entries" | "cancelled"> {
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

interface RecordsUndone {
  readonly undone: readonly KeptEntry[];
  readonly conflicts: readonly Conflict[];
  readonly steps: readonly RecordStep[];
}

class Tried extends Error {}

/** Takes back the records of entries, the newest first, in one transaction. An entry in conflict is left out. @param isTried whether nothing is to be changed */
export async function undoRecords(
  selected: readonly KeptEntry[],
  { store, context, own, ...among }: RecordUndo,
  isTried: (conflicts: readonly Conflict[]) => boolean,
): Promise<RecordsUndone> {
  const history = createHistory(among.entries);
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  let result: RecordsUndone = { undone: [], conflicts: [], steps: [] };
  const work = async (whole: Store) => {
    const [undone, conflicts, steps]: [KeptEntry[], Conflict[], RecordStep[]] = [[], [], []];
    const gone = new Set(among.cancelled);
    let touched = new Set<string>();
    for (const entry of selected.toSorted((one, other) => other.generation - one.generation)) {
      gone.add(entry.id);
      const seen = new Set(touched);
      try {
        const done = await whole.transaction(async (inside) => {
          const undoing = { store: callerStore(inside, context.principal), kinds, history, gone, touched: seen };
          return Array.fromAsync(history.of(entry), (version) => undoVersion(version, undoing));
        });
        steps.push(...done);
        undone.push(entry);
        touched = seen;
      } catch (error) {
        if (!ToolError.is(error) || error.code === "unavailable") throw error;
        gone.delete(entry.id);
        conflicts.push({ entry, reason: error.message });
      }
    }
    result = { undone, conflicts, steps };
    if (isTried(conflicts)) throw new Tried();
  };
  const keep = async (records: readonly RecordVersion[], local: Store) => {
    const undoes = result.undone.map(({ id }) => id);
    if (undoes.length > 0) await putEntry(local, { ...own, at: new Date().toISOString(), undoes, records });
  };
  if (selected.length > 0)
    await keepVersions(keep, () => store.transaction(work)).catch((error: unknown) => {
      if (!(error instanceof Tried)) throw error;
    });
  return result;
}

type KnownVersion = RecordVersion & { readonly entry: KeptEntry };
type History = ReturnType<typeof createHistory>;

/** The versions of all records, the newest first. */
function createHistory(entries: readonly KeptEntry[]) {
  const all: readonly KnownVersion[] = entries
    .toSorted((one, other) => other.generation - one.generation)
    .flatMap((entry) => (entry.records ?? []).map((version) => ({ ...version, entry })).toReversed());
  const byRecord = Map.groupBy(all, keyOf);
  const byEntry = Map.groupBy(all, ({ entry }) => entry);
  return {
    /** What a call has written. What rules have derived, they derive anew. */
    of: (entry: KeptEntry) => (byEntry.get(entry) ?? []).filter(({ derived }) => !derived),
    newest: (version: KnownVersion) => byRecord.get(keyOf(version))?.[0],
    /** The versions of the same record after one. */
    after(version: KnownVersion): readonly KnownVersion[] {
      const versions = byRecord.get(keyOf(version)) ?? [];
      return versions.slice(0, versions.indexOf(version));
    },
  };
}

interface Undoing {
  readonly store: Store;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly history: History;
  /** Ids of entries whose changes are gone. */
  readonly gone: ReadonlySet<string>;
  /** The records that were written by this undo. */
  readonly touched: Set<string>;
}

/** @throws ToolError with the reason why the version cannot be put back */
async function undoVersion(
  version: KnownVersion,
  { store, kinds, history, gone, touched }: Undoing,
): Promise<RecordStep> {
  const { id, before } = version;
  const name = `${version.kind} ${id}`;
  const stays = history.after(version).find((one) => !one.derived && !gone.has(one.entry.id));
  if (stays !== undefined) throw new ToolError("conflict", `${name}: it was changed since by ${callName(stays.entry)}`);
  const kind = kinds.get(version.kind);
  if (kind === undefined) throw new ToolError("not_found", `${name}: its kind is not mounted here`);
  const inside = store.in(version.workspace);
  const now = await inside.get(kind, id);
  if (!touched.has(keyOf(version)) && history.newest(version)?.generation !== (now?.generation ?? 0))
    throw new ToolError("conflict", `${name}: another program has changed it since`);
  touched.add(keyOf(version));
  if (before === null) await inside.delete(kind, id);
  else if (now?.generation !== before.generation) await inside.put(kind, before.data, { id, closed: before.closed });
  return { name, now: now?.data, later: before?.data };
}

function keyOf({ workspace, kind, id }: RecordVersion): string {
  return JSON.stringify([workspace, kind, id]);
}
