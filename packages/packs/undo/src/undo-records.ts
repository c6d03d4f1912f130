import { isDeepStrictEqual } from "node:util";
import { type Kind, type PutOptions, type Store, ToolError } from "@toolpacks/core";
import { callerStore, keepVersions, type RecordVersion } from "@toolpacks/store";
import { netVersions, placeOf, type KeptEntry } from "./entry.ts";
import type { RecordState, Selected, UndoPart } from "./history.ts";

/** A record that an entry has changed. */
interface Changed {
  readonly name: string;
  readonly kind: Kind;
  readonly version: RecordVersion;
  /** What the store has of it. */
  readonly now: RecordState;
}

interface Known extends Pick<Selected, "history"> {
  readonly kinds: ReadonlyMap<string, Kind>;
  /** What would be changed by newer entries, by places. */
  readonly planned: ReadonlyMap<string, Changed>;
}

/**
 * What an entry has changed of records, besides derived fields, the newest first.
 *
 * @throws ToolError `conflict` where such a record is not as the entry left it, or would not be after what is planned
 */
async function findChanged(entry: KeptEntry, store: Store, { history, kinds, planned }: Known) {
  const changed: Changed[] = [];
  for (const version of entry.records?.toReversed() ?? []) {
    const name = `${version.kind} ${version.id}`;
    const kind = kinds.get(version.kind);
    if (kind === undefined) throw new ToolError("not_found", `${name}: its kind is not mounted here`);
    const now = await store.in(version.workspace).get(kind, version.id);
    const { left, isKnown } = history.leftBy(entry, version, now);
    if (version.derived && isSameRecord(kind, version.before, left)) continue;
    if (!isKnown) throw new ToolError("conflict", `${name}: another program has changed it since`);
    const step = planned.get(placeOf(version));
    if (!isSameRecord(kind, left, step === undefined ? now : step.version.before))
      throw new ToolError("conflict", `${name}: it was changed since by the rule of another record`);
    changed.push({ name, kind, version, now });
  }
  return changed;
}

/** Takes back changes of records, those of an entry in one transaction. */
export function createRecordUndo({ opened, context, history, requireNewest }: Selected): UndoPart {
  const kinds = new Map((context.access?.kinds() ?? []).map((kind) => [kind.name, kind]));
  const planned = new Map<string, Changed>();
  const changedBy = async (entry: KeptEntry, store: Store) => findChanged(entry, store, { history, kinds, planned });
  return {
    has: ({ records }) => records !== undefined,
    async plan(entry) {
      const changed = await changedBy(entry, callerStore(opened.store, context.principal));
      for (const one of changed) planned.set(placeOf(one.version), one);
    },
    async undo(entry, undoing) {
      planned.clear();
      let isNeeded = false;
      const run = async (keepsMade: boolean) => {
        let store: Store = opened.store;
        let changed: readonly Changed[] = [];
        const keep = async (versions: readonly RecordVersion[], local: Store) => {
          await requireNewest(entry, local);
          const records = netVersions(versions);
          const own = new Set(changed.map(({ version }) => placeOf(version)));
          const others = records.filter((one) => !own.has(placeOf(one)));
          const harm = await harmOf(others, store, kinds);
          isNeeded = harm !== undefined;
          if (harm !== undefined) throw new ToolError("conflict", harm);
          await opened.log.add({ ...undoing, records }, local);
        };
        const work = async (inside: Store) => {
          store = callerStore(inside, context.principal);
          changed = (await changedBy(entry, store)).filter((one) => !keepsMade || !isMade(one));
          for (const one of changed)
            if (!one.version.derived || isMade(one)) await putBack(one.version, one.kind, { store });
          // What the rules have changed by that, or had changed at the call, is put back, too.
          for (const { kind, version } of changed)
            await putBack(version, kind, { store, ...(!kind.derived && { rules: false }) });
        };
        await keepVersions(keep, () => opened.store.transaction(work));
      };
      // What the rule of another record has made stays where others have come to need it.
      await run(false).catch((error: unknown) => (isNeeded ? run(true) : Promise.reject(error)));
      return undefined;
    },
    async diff() {
      return diffsOf([...planned.values()]);
    },
  };
}

/** Whether two states of a record are the same, but for the fields that its rule derives. */
function isSameRecord({ derived = [] }: Kind, one: RecordState, other: RecordState): boolean {
  const none = Object.fromEntries(derived.map((name) => [name, undefined]));
  const own = (state: RecordState) => state && { closed: state.closed, data: { ...state.data, ...none } };
  return isDeepStrictEqual(own(one) ?? null, own(other) ?? null);
}

async function diffsOf(changed: readonly Changed[]): Promise<readonly string[]> {
  const { unifiedDiff } = await import("@toolpacks/files/unified-diff");
  const jsonOf = (state: RecordState) =>
    state ? `${JSON.stringify({ ...state.data, ...(state.closed && { closed: true }) }, null, 1)}\n` : "";
  return changed.map(({ name, now, version }) => unifiedDiff(name, jsonOf(now), jsonOf(version.before)).diff);
}

/** Whether the rule of another record has made or reopened a record. */
function isMade({ version: { derived, before }, now }: Changed): boolean {
  return derived && (before === null || (before.closed && now?.closed === false));
}

/** What rules have closed or removed of what the call had not written, in words. */
async function harmOf(
  versions: readonly RecordVersion[],
  store: Store,
  kinds: ReadonlyMap<string, Kind>,
): Promise<string | undefined> {
  for (const { workspace, kind: name, id, before } of versions) {
    const kind = kinds.get(name);
    const now = kind && (await store.in(workspace).get(kind, id));
    if (before && (now === undefined || (now.closed && !before.closed)))
      return `${name} ${id}: it would be ${now ? "closed" : "removed"}, too`;
  }
  return undefined;
}

async function putBack(
  { workspace, id, before }: RecordVersion,
  kind: Kind,
  { store, rules = "restore" }: Pick<PutOptions, "rules"> & { readonly store: Store },
): Promise<void> {
  const inside = store.in(workspace);
  const now = await inside.get(kind, id);
  if (before === null) await inside.delete(kind, id, { rules: "restore" });
  else if (now?.closed !== before.closed || !isDeepStrictEqual(now.data, before.data))
    await inside.put(kind, before.data, { id, closed: before.closed, rules });
}
