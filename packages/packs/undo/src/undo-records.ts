import { isDeepStrictEqual } from "node:util";
import { type Kind, type Store, ToolError, type ToolContext } from "@toolpacks/core";
import { callerStore, keepVersions, type RecordVersion } from "@toolpacks/store";
import { type Entry, type KeptEntry, putEntry } from "./entry.ts";
import type { Selected } from "./select-entries.ts";

interface RecordsOptions {
  readonly store: Store;
  readonly context: ToolContext;
  /** Names a call for the caller. */
  readonly nameOf: (entry: KeptEntry) => string;
}

/** A record that an undo changes, before and after it. */
export interface RecordStep {
  readonly name: string;
  readonly now: object | undefined;
  readonly later: object | undefined;
}

type KnownVersion = RecordVersion & { readonly entry: KeptEntry };

/** Takes back the records of entries, the newest first. Each entry is checked before anything is changed. */
export function createRecordUndo({ entries, cancelled }: Selected, { store, context, nameOf }: RecordsOptions) {
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  const history = readHistory(entries);
  const { left } = history;
  /** Ids of entries whose changes are gone, or will be. */
  const gone = new Set(cancelled);
  const planned = new Map<string, RecordStep>();
  const kindOf = ({ kind, id }: RecordVersion): Kind => {
    const found = kinds.get(kind);
    if (found === undefined) throw new ToolError("not_found", `${kind} ${id}: its kind is not mounted here`);
    return found;
  };
  const requireLeft = async (version: RecordVersion, inside: Store) => {
    const now = await inside.in(version.workspace).get(kindOf(version), version.id);
    if ((now?.generation ?? 0) === left.get(keyOf(version))) return now;
    throw new ToolError("conflict", `${version.kind} ${version.id}: another program has changed it since`);
  };
  return {
    /** Plans to take back an entry. @throws ToolError with the reason why that is not possible */
    async plan(entry: KeptEntry): Promise<void> {
      const steps = new Map<string, RecordStep>();
      for (const version of history.versionsOf(entry).filter(({ derived }) => !derived)) {
        const name = `${version.kind} ${version.id}`;
        const stays = history
          .after(version)
          .find((one) => !one.derived && one.entry !== entry && !gone.has(one.entry.id));
        if (stays !== undefined)
          throw new ToolError("conflict", `${name}: it was changed since by ${nameOf(stays.entry)}`);
        const now = await requireLeft(version, callerStore(store, context.principal));
        steps.set(keyOf(version), { name, now: now?.data, later: version.before?.data });
      }
      gone.add(entry.id);
      for (const [key, step] of steps) planned.set(key, step);
    },
    planned: () => [...planned.values()],
    /** Takes back an entry in one transaction. */
    async undo(entry: KeptEntry, own: Entry): Promise<void> {
      let written: readonly RecordVersion[] = [];
      const keep = async (records: readonly RecordVersion[], local: Store) => {
        await putEntry(local, { ...own, at: new Date().toISOString(), undoes: entry.id, records });
        written = records;
      };
      const work = async (whole: Store) => {
        const inside = callerStore(whole, context.principal);
        const versions = history.versionsOf(entry);
        const direct = versions.filter(({ derived }) => !derived);
        for (const version of new Map(direct.map((one) => [keyOf(one), one])).values())
          await requireLeft(version, inside);
        for (const version of direct) await putBack(version, inside, { kind: kindOf(version) });
        // What rules have set when it was written comes back, too, unless another call has changed the record.
        for (const version of versions) {
          const kind = kinds.get(version.kind);
          const isLast = history.after(version).every((one) => gone.has(one.entry.id));
          if (kind !== undefined && isLast) await putBack(version, inside, { kind, rules: false });
        }
      };
      await keepVersions(keep, () => store.transaction(work));
      for (const version of written) left.set(keyOf(version), version.generation);
    },
  };
}

/** The versions of all records, the newest first. */
function readHistory(entries: readonly KeptEntry[]) {
  const all: readonly KnownVersion[] = entries
    .toSorted((one, other) => other.generation - one.generation)
    .flatMap((entry) => (entry.records ?? []).map((version) => ({ ...version, entry })).toReversed());
  const byRecord = Map.groupBy(all, keyOf);
  const byEntry = Map.groupBy(all, ({ entry }) => entry.id);
  return {
    versionsOf: (entry: KeptEntry) => byEntry.get(entry.id) ?? [],
    /** The versions of the same record after one. */
    after(version: KnownVersion): readonly KnownVersion[] {
      const versions = byRecord.get(keyOf(version)) ?? [];
      return versions.slice(0, versions.indexOf(version));
    },
    /** The generation that calls have left of each record. */
    left: new Map(Array.from(byRecord, ([key, versions]) => [key, versions[0]?.generation ?? 0])),
  };
}

interface PutBack {
  readonly kind: Kind;
  /** Whether the rule of the kind runs. Default true. */
  readonly rules?: false;
}

async function putBack(version: RecordVersion, store: Store, { kind, ...rules }: PutBack): Promise<void> {
  const { id, before } = version;
  const inside = store.in(version.workspace);
  const now = await inside.get(kind, id);
  if (before === null) await inside.delete(kind, id);
  else if (now?.closed !== before.closed || !isDeepStrictEqual(now.data, before.data))
    await inside.put(kind, before.data, { id, closed: before.closed, ...rules });
}

function keyOf({ workspace, kind, id }: RecordVersion): string {
  return JSON.stringify([workspace, kind, id]);
}
