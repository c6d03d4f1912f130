import { isDeepStrictEqual } from "node:util";
import { type Kind, type PutOptions, type Store, ToolError } from "@toolpacks/core";
import { callerStore, keepVersions, type RecordVersion } from "@toolpacks/store";
import { directVersions, type Entry } from "./entry.ts";
import { placeOf, push, type Selected, type UndoPart } from "./history.ts";

/** What would become of a record. */
interface Step {
  readonly name: string;
  readonly now?: object;
  readonly later?: object;
}

/** Takes back changes of records, those of an entry in one transaction. */
export function createRecordUndo({ opened, context, entries, history, requireNewest }: Selected): UndoPart {
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  const writes = createWrites(entries);
  const planned = new Map<string, Step>();
  const kindOf = ({ kind, id }: RecordVersion): Kind => {
    const found = kinds.get(kind);
    if (found === undefined) throw new ToolError("not_found", `${kind} ${id}: its kind is not mounted here`);
    return found;
  };
  const requireKnown = async (version: RecordVersion, store: Store) => {
    const now = await store.in(version.workspace).get(kindOf(version), version.id);
    if (writes.isKnownSince(version, now)) return now;
    throw new ToolError("conflict", `${version.kind} ${version.id}: another program has changed it since`);
  };
  return {
    has: ({ records }) => records !== undefined,
    async plan(entry) {
      const steps = await Array.fromAsync(directVersions(entry), async (version) => {
        const now = await requireKnown(version, callerStore(opened.store, context.principal));
        return [placeOf(version), stepOf(version, now)] as const;
      });
      for (const [place, step] of steps) planned.set(place, step);
    },
    async undo(entry, own) {
      let kept: readonly RecordVersion[] = [];
      let store: Store = opened.store;
      const places = new Set(directVersions(entry).map(placeOf));
      const keep = async (records: readonly RecordVersion[], local: Store) => {
        await requireNewest(entry, local);
        const others = records.filter((one) => !places.has(placeOf(one)));
        await requireOthers(others, store, kinds);
        await opened.log.add({ ...own, records }, local);
        kept = records;
      };
      const work = async (inside: Store) => {
        store = callerStore(inside, context.principal);
        for (const version of directVersions(entry)) await requireKnown(version, store);
        // What rules have set when it was written comes back, too, unless the record was changed since.
        const whole: [RecordVersion, Kind][] = [];
        for (const version of entry.records?.toReversed() ?? []) {
          const kind = kinds.get(version.kind);
          const now = kind && (await store.in(version.workspace).get(kind, version.id));
          const isLast = writes.isKnownSince(version, now) && history.after(entry, placeOf(version)).length === 0;
          if (kind !== undefined && isLast) whole.push([version, kind]);
        }
        for (const [version] of whole) places.add(placeOf(version));
        for (const version of directVersions(entry)) await putBack(version, kindOf(version), { store });
        for (const [version, kind] of whole)
          await putBack(version, kind, { store, ...(!kind.restores && { rules: false }) });
      };
      await keepVersions(keep, () => opened.store.transaction(work));
      writes.add(kept);
      return undefined;
    },
    async diff() {
      return diffsOf([...planned.values()]);
    },
  };
}

function stepOf({ kind, id, before }: RecordVersion, now: { readonly data: object } | undefined): Step {
  return { name: `${kind} ${id}`, ...(now && { now: now.data }), ...(before && { later: before.data }) };
}

async function diffsOf(steps: readonly Step[]): Promise<readonly string[]> {
  const { unifiedDiff } = await import("@toolpacks/files/unified-diff");
  const jsonOf = (record: object | undefined) => (record === undefined ? "" : `${JSON.stringify(record, null, 1)}\n`);
  return steps.map(({ name, now, later }) => unifiedDiff(name, jsonOf(now), jsonOf(later)).diff);
}

/** @throws ToolError `conflict` if a rule has removed a record that the call had not written */
async function requireOthers(
  versions: readonly RecordVersion[],
  store: Store,
  kinds: ReadonlyMap<string, Kind>,
): Promise<void> {
  const earliest = new Map(versions.toReversed().map((version) => [placeOf(version), version]));
  for (const { workspace, kind: name, id, before } of earliest.values()) {
    const kind = kinds.get(name);
    const now = kind && (await store.in(workspace).get(kind, id));
    if (before?.closed === false && now?.closed !== false)
      throw new ToolError("conflict", `${name} ${id}: it would be removed, too`);
  }
}

/** What calls have written of each record. */
function createWrites(entries: readonly Entry[]) {
  const byPlace = new Map<string, RecordVersion[]>();
  const add = (versions: readonly RecordVersion[]) => {
    for (const version of versions) push(byPlace, placeOf(version), version);
  };
  add(entries.toReversed().flatMap(({ records = [] }) => records));
  return {
    /** Adds newer versions. */
    add,
    /** Whether each write of a record since a version is known, so that none is lost. */
    isKnownSince(version: RecordVersion, now: { readonly generation: number } | undefined): boolean {
      const all = byPlace.get(placeOf(version)) ?? [];
      const since = all.slice(all.indexOf(version));
      const later = [...since.slice(1).map(({ before }) => before), now];
      return since.every(({ generation }, at) => generation === (later[at]?.generation ?? 0));
    },
  };
}

async function putBack(
  { workspace, id, before }: RecordVersion,
  kind: Kind,
  { store, rules = "restore" }: Pick<PutOptions, "rules"> & { readonly store: Store },
): Promise<void> {
  const inside = store.in(workspace);
  const now = await inside.get(kind, id);
  if (before === null) await inside.delete(kind, id);
  else if (now?.closed !== before.closed || !isDeepStrictEqual(now.data, before.data))
    await inside.put(kind, before.data, { id, closed: before.closed, rules });
}
