import { isDeepStrictEqual } from "node:util";
import { type Kind, type Store, ToolError } from "@toolpacks/core";
import { callerStore, keepVersions, type RecordVersion } from "@toolpacks/store";
import { directVersions } from "./entry.ts";
import { placeOf, type Selected, type UndoPart } from "./history.ts";

/** Takes back changes of records, those of an entry in one transaction. */
export function createRecordUndo({ opened, context, entries, history, requireNewest }: Selected): UndoPart {
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  const oldestFirst = entries.toReversed().flatMap(({ records = [] }) => records);
  /** The generation that calls have left of each record. */
  const left = new Map(oldestFirst.map((version) => [placeOf(version), version.generation]));
  const planned = new Map<string, { readonly name: string; readonly now?: object; readonly later?: object }>();
  const kindOf = ({ kind, id }: RecordVersion): Kind => {
    const found = kinds.get(kind);
    if (found === undefined) throw new ToolError("not_found", `${kind} ${id}: its kind is not mounted here`);
    return found;
  };
  const requireLeft = async (version: RecordVersion, store: Store) => {
    const now = await store.in(version.workspace).get(kindOf(version), version.id);
    if ((now?.generation ?? 0) === left.get(placeOf(version))) return now;
    throw new ToolError("conflict", `${version.kind} ${version.id}: another program has changed it since`);
  };
  return {
    has: ({ records }) => records !== undefined,
    async plan(entry) {
      const steps = await Array.fromAsync(directVersions(entry), async (version) => {
        const now = await requireLeft(version, callerStore(opened.store, context.principal));
        const step = {
          name: `${version.kind} ${version.id}`,
          ...(now && { now: now.data }),
          ...(version.before && { later: version.before.data }),
        };
        return [placeOf(version), step] as const;
      });
      for (const [place, step] of steps) planned.set(place, step);
    },
    async undo(entry, own) {
      let written: readonly RecordVersion[] = [];
      const keep = async (records: readonly RecordVersion[], local: Store) => {
        await requireNewest(entry, local);
        await opened.log.add({ ...own, records }, local);
        written = records;
      };
      const work = async (whole: Store) => {
        const store = callerStore(whole, context.principal);
        for (const version of directVersions(entry)) await requireLeft(version, store);
        for (const version of directVersions(entry)) await putBack(version, store, { kind: kindOf(version) });
        // What rules have set when it was written comes back, too, unless another call has changed the record.
        for (const version of entry.records?.toReversed() ?? []) {
          const kind = kinds.get(version.kind);
          const isLast = history.after(entry, placeOf(version)).length === 0;
          if (kind !== undefined && isLast) await putBack(version, store, { kind, rules: false });
        }
      };
      await keepVersions(keep, () => opened.store.transaction(work));
      for (const version of written) left.set(placeOf(version), version.generation);
      return undefined;
    },
    async diff() {
      const { unifiedDiff } = await import("@toolpacks/files/unified-diff");
      const jsonOf = (record: object | undefined) =>
        record === undefined ? "" : `${JSON.stringify(record, null, 1)}\n`;
      return Array.from(planned.values(), ({ name, now, later }) => unifiedDiff(name, jsonOf(now), jsonOf(later)).diff);
    },
  };
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
