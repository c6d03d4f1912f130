import { everyRecord } from "@toolpacks/store";
import type { Store } from "@toolpacks/core";
import { issueKind } from "@toolpacks/issues";
import { canonicalValue, toTracker, type FieldValue, type FieldValues } from "./field-values.ts";
import { linkKind, type Link } from "./link-kind.ts";
import type { SyncSetting } from "./sync-setting.ts";
import type { SyncField } from "./tracker-mapping.ts";

/** An issue of the store, as a tracker would have it. */
export interface LocalIssue {
  readonly id: string;
  readonly generation: number;
  readonly title: string;
  readonly externalRef: string | undefined;
  /** The fields that have a value in the tracker. */
  readonly values: FieldValues;
  /** The fields whose values the mapping does not know, with these values. */
  readonly unmapped: readonly (readonly [SyncField, string])[];
  /** Whether it was deleted in beads. */
  readonly isDeleted: boolean;
  /** Whether it may be created in a tracker: it is open, and work. */
  readonly isCreatable: boolean;
}

/** Reads the issues of the workspace. Those without a reference are included. */
export async function readIssues(store: Store, setting: SyncSetting): Promise<readonly LocalIssue[]> {
  const issues = everyRecord(store, issueKind(), { sort: ["graph.age"], includeClosed: true, pageSize: 200 });
  return Array.fromAsync(issues, ({ id, generation, data }) => localIssue({ id, generation, data }, setting));
}

/** Reads an issue again. Undefined if it is gone. */
export async function readIssue(store: Store, id: string, setting: SyncSetting): Promise<LocalIssue | undefined> {
  const found = await store.get(issueKind(), id);
  return found && localIssue(found, setting);
}

type Data = NonNullable<Awaited<ReturnType<typeof readRecord>>>["data"];
const readRecord = (store: Store, id: string) => store.get(issueKind(), id);

function localIssue(
  { id, generation, data }: { readonly id: string; readonly generation: number; readonly data: Data },
  { fields, mapping }: SyncSetting,
): LocalIssue {
  const values: [SyncField, FieldValue][] = [];
  const unmapped: [SyncField, string][] = [];
  for (const field of fields) {
    const here = canonicalValue(field, data[field]);
    const there = toTracker(mapping, field, here);
    if (there === undefined) unmapped.push([field, String(here)]);
    else values.push([field, there]);
  }
  const isDeleted = data.status === "tombstone";
  const isWork = data.issue_type !== "gate" && data.ephemeral !== true;
  return {
    id,
    generation,
    title: data.title,
    externalRef: data.external_ref === "" ? undefined : data.external_ref,
    values: Object.fromEntries(values),
    unmapped,
    isDeleted,
    isCreatable: isWork && !isDeleted && data.status !== "closed",
  };
}

/** Reads the links of a synchronization, by the ids of their issues. */
export async function readLinks(store: Store, sync: string): Promise<ReadonlyMap<string, Link>> {
  const links = await Array.fromAsync(everyRecord(store, linkKind, { filter: { sync } }), ({ data }) => data);
  return new Map(links.map((link) => [link.issue, link]));
}
