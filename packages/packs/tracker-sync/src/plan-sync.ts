import { compareFields, type Comparison, type Side } from "./compare-fields.ts";
import { valueDigest, type ReadFields } from "./field-values.ts";
import type { Link } from "./link-kind.ts";
import type { LocalIssue } from "./local-issues.ts";
import type { SyncNotice } from "./sync-report.ts";
import type { SyncSetting } from "./sync-setting.ts";
import type { TrackerItem } from "./tracker.ts";

/** A change that a synchronization makes. */
export type SyncChange =
  | { readonly kind: "create-here"; readonly issue?: undefined; readonly item: TrackerItem }
  | { readonly kind: "create-there"; readonly issue: LocalIssue; readonly item?: undefined }
  | LinkedChange;

/** An issue that is on both sides. */
export interface LinkedChange extends Comparison {
  readonly kind: "linked";
  readonly issue: LocalIssue;
  readonly item: TrackerItem;
  /** The state of the last synchronization. Undefined: there was none. */
  readonly link: Link | undefined;
}

export interface SyncPlan {
  readonly changes: readonly SyncChange[];
  readonly notices: readonly SyncNotice[];
}

export interface SyncState {
  readonly setting: SyncSetting;
  readonly issues: readonly LocalIssue[];
  readonly items: readonly TrackerItem[];
  /** By the ids of their issues. */
  readonly links: ReadonlyMap<string, Link>;
  /** Which side wins where both have changed. */
  readonly resolve: Side | undefined;
}

/** How long a list of a tracker may miss an issue that was just created, in ms. Until then, an interrupted creation is not repeated. */
const listDelayMs = 60_000;

/** Decides what a synchronization does, without doing it. */
export function planSync(state: SyncState): SyncPlan {
  const { items, issues } = state;
  const refs = findRefs(state);
  const planning: Planning = {
    state,
    byRef: new Map(items.map((item) => [item.ref, item])),
    sharedRefs: sharedRefs(refs),
    taken: takenRefs(state, refs),
    unclear: new Set(),
    changes: [],
    notices: [],
  };
  for (const issue of issues) planIssue(issue, refs.get(issue.id), planning);
  planDeleted(planning);
  const { taken, unclear, changes, notices } = planning;
  const created = items.filter(({ ref }) => !taken.has(ref) && !unclear.has(ref));
  changes.push(...created.map((item): SyncChange => ({ kind: "create-here", item })));
  return { changes, notices: [...notices, ...unmappedNotices(state)] };
}

interface Planning {
  readonly state: SyncState;
  readonly byRef: ReadonlyMap<string, TrackerItem>;
  /** The references that several issues here have. */
  readonly sharedRefs: ReadonlySet<string>;
  /** The references that belong to issues here. */
  readonly taken: Set<string>;
  /** The references of which one belongs to an issue here, and it is not known which. */
  readonly unclear: Set<string>;
  readonly changes: SyncChange[];
  readonly notices: SyncNotice[];
}

/** The tracker's reference of each issue: from its `external_ref`, or from a creation that was interrupted before that was set. */
function findRefs({ issues, links, setting }: SyncState): ReadonlyMap<string, string> {
  const refs = new Map<string, string>();
  for (const { id, externalRef } of issues) {
    const link = links.get(id);
    const ref = externalRef ?? (link?.stored === true ? undefined : link?.ref);
    if (ref?.startsWith(setting.mapping.refPrefix) === true) refs.set(id, ref);
  }
  return refs;
}

function sharedRefs(refs: ReadonlyMap<string, string>): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set([...refs.values()].filter((ref) => seen.size === seen.add(ref).size));
}

/** An issue there whose issue here is gone or has lost its reference must not become a new one here. */
function takenRefs({ links }: SyncState, refs: ReadonlyMap<string, string>): Set<string> {
  const lost = [...links.values()].flatMap(({ issue, ref }) => (ref === undefined || refs.has(issue) ? [] : [ref]));
  return new Set([...refs.values(), ...lost]);
}

function planIssue(issue: LocalIssue, ref: string | undefined, planning: Planning): void {
  const { state, taken, unclear, notices, changes } = planning;
  const link = state.links.get(issue.id);
  if (ref !== undefined) return planLinked(issue, ref, planning);
  if (link?.ref !== undefined) {
    notices.push({ issue: issue.id, ref: link.ref, problem: "its external_ref was removed or replaced here" });
    return;
  }
  if (issue.isDeleted || issue.externalRef !== undefined) return;
  const found = candidates(link, planning);
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    taken.add(only.ref);
    return planLinked(issue, only.ref, planning);
  }
  if (found.length > 1) {
    for (const item of found) unclear.add(item.ref);
    const named = found.map((item) => item.ref).join(", ");
    const problem = `its creation there was interrupted, and it may be any of ${named}: set its external_ref`;
    notices.push({ issue: issue.id, problem });
    return;
  }
  if (!state.setting.create || !issue.isCreatable) return;
  if (isRecent(link, Date.now()))
    notices.push({
      issue: issue.id,
      problem: "its creation there was interrupted less than a minute ago, and may show late: run again",
    });
  else changes.push({ kind: "create-there", issue });
}

/** The issues there that an interrupted creation may have made: those with its title. */
function candidates(link: Link | undefined, { state, taken }: Planning): readonly TrackerItem[] {
  if (link?.title === undefined) return [];
  return state.items.filter(
    ({ ref, values: { title } }) => !taken.has(ref) && title !== undefined && valueDigest(title) === link.title,
  );
}

/** Whether a creation without an answer is so recent that the tracker's list may not have it. */
function isRecent(link: Link | undefined, now: number): boolean {
  return link?.began !== undefined && now - Date.parse(link.began) < listDelayMs;
}

function planLinked(issue: LocalIssue, ref: string, planning: Planning): void {
  const { state, byRef, sharedRefs: shared, changes, notices } = planning;
  const item = byRef.get(ref);
  const notice = (problem: string) => void notices.push({ issue: issue.id, ref, problem });
  if (shared.has(ref)) return notice(`several issues here have the external_ref ${issue.externalRef}`);
  if (item === undefined)
    return issue.isDeleted ? undefined : notice("not listed there any more; nothing is deleted here");
  if (issue.isDeleted) return notice("deleted here; nothing is deleted there");
  const stored = state.links.get(issue.id);
  const link = stored?.ref === ref ? stored : undefined;
  const base = link ?? { here: {}, there: {} };
  const comparison = compareFields({
    here: issue.values,
    there: item.values,
    base,
    resolve: state.resolve,
  });
  const isStored = issue.externalRef !== undefined && link?.stored === true;
  const isAlike = Object.values(comparison).every((part: object) => Object.keys(part).length === 0);
  if (!isAlike || !isStored) changes.push({ kind: "linked", issue, item, link, ...comparison });
}

/** Names the issues there whose issues here were removed from the store. */
function planDeleted({ state, byRef, notices }: Planning): void {
  const known = new Set(state.issues.map(({ id }) => id));
  for (const [id, { ref }] of state.links) {
    if (ref === undefined || known.has(id) || !byRef.has(ref)) continue;
    notices.push({ issue: id, ref, problem: "deleted here; nothing is deleted there" });
  }
}

/** Names each value that the mapping does not know, once. */
function unmappedNotices({ issues, items }: SyncState): readonly SyncNotice[] {
  const problems = (side: string, read: readonly ReadFields[]) =>
    read
      .flatMap(({ unmapped }) => unmapped)
      .map(([field, value]) => `${field}: the mapping has no value for ${JSON.stringify(value)} ${side}`);
  const counts = Map.groupBy([...problems("here", issues), ...problems("there", items)], (problem) => problem);
  return [...counts].map(([problem, { length }]) => ({ problem: `${problem} (${length} issues)` }));
}
