import { isDeepStrictEqual } from "node:util";
import { type Kind, type Store, ToolError, type ToolContext } from "@toolpacks/core";
import { callerStore, keepVersions, type RecordVersion } from "@toolpacks/store";
import { type Entry, type KeptEntry, putEntry } from "./entry.ts";
import { placeOf, type History } from "./history.ts";

interface RecordsOptions {
  readonly store: Store;
  readonly context: ToolContext;
  readonly history: History;
  /** @throws ToolError `conflict` if another call has changed the same since the plan */
  readonly checkAgain: (entry: KeptEntry, local?: Store) => Promise<void>;
}

/** A record that an undo changes, before and after it. */
export interface RecordStep {
  readonly name: string;
  readonly now: object | undefined;
  readonly later: object | undefined;
}

/** Takes back the records of entries, the newest first. Each entry is checked before anything is changed. */
export function createRecordUndo(entries: readonly KeptEntry[], options: RecordsOptions) {
  const { store, context, history, checkAgain } = options;
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  const oldestFirst = entries.toReversed().flatMap(({ records = [] }) => records);
  /** The generation that calls have left of each record. */
  const left = new Map(oldestFirst.map((version) => [placeOf(version), version.generation]));
  const planned = new Map<string, RecordStep>();
  const kindOf = ({ kind, id }: RecordVersion): Kind => {
    const found = kinds.get(kind);
    if (found === undefined) throw new ToolError("not_found", `${kind} ${id}: its kind is not mounted here`);
    return found;
  };
  const requireLeft = async (version: RecordVersion, inside: Store) => {
    const now = await inside.in(version.workspace).get(kindOf(version), version.id);
    if ((now?.generation ?? 0) === left.get(placeOf(version))) return now;
    throw new ToolError("conflict", `${version.kind} ${version.id}: another program has changed it since`);
  };
  return {
    /** Plans to take back an entry. @throws ToolError with the reason why that is not possible */
    async plan(entry: KeptEntry): Promise<void> {
      const steps = new Map<string, RecordStep>();
      for (const version of directVersions(entry)) {
        const [place, name] = [placeOf(version), `${version.kind} ${version.id}`];
        const now = await requireLeft(version, callerStore(store, context.principal));
        steps.set(place, { name, now: now?.data, later: version.before?.data });
      }
      for (const [place, step] of steps) planned.set(place, step);
    },
    planned: () => [...planned.values()],
    /** Takes back an entry in one transaction. */
    async undo(entry: KeptEntry, own: Entry): Promise<void> {
      await checkAgain(entry);
      let written: readonly RecordVersion[] = [];
      const keep = async (records: readonly RecordVersion[], local: Store) => {
        await checkAgain(entry, local);
        await putEntry(local, { ...own, at: new Date().toISOString(), undoes: entry.id, records });
        written = records;
      };
      const work = async (whole: Store) => {
        const inside = callerStore(whole, context.principal);
        for (const version of directVersions(entry)) await requireLeft(version, inside);
        for (const version of directVersions(entry)) await putBack(version, inside, { kind: kindOf(version) });
        // What rules have set when it was written comes back, too, unless another call has changed the record.
        for (const version of entry.records?.toReversed() ?? []) {
          const kind = kinds.get(version.kind);
          const isLast = history.after(entry, placeOf(version)).length === 0;
          if (kind !== undefined && isLast) await putBack(version, inside, { kind, rules: false });
        }
      };
      await keepVersions(keep, () => store.transaction(work));
      for (const version of written) left.set(placeOf(version), version.generation);
    },
  };
}

/** What an entry has written, but not by rules of other records, the newest first. */
function directVersions({ records = [] }: KeptEntry): readonly RecordVersion[] {
  return records.filter(({ derived }) => !derived).toReversed();
}

async function putBack(
  { workspace, id, before }: RecordVersion,
  store: Store,
  { kind, ...rules }: { readonly kind: Kind; readonly rules?: false },
): Promise<void> {
  const inside = store.in(workspace);
  const now = await inside.get(kind, id);
  if (before === null) await inside.delete(kind, id);
  else if (now?.closed !== before.closed || !isDeepStrictEqual(now.data, before.data))
    await inside.put(kind, before.data, { id, closed: before.closed, ...rules });
}
