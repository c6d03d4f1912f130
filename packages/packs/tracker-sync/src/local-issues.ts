import { ToolError, type Kind, type Store, type Stored, type ToolContext } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import { readFields, toTracker, type ReadFields } from "./field-values.ts";
import { linkKind, type Link } from "./link-kind.ts";
import type { SyncSetting } from "./sync-setting.ts";

/** An issue of the store, as a tracker would have it. */
export interface LocalIssue extends ReadFields {
  readonly id: string;
  readonly generation: number;
  readonly title: string;
  readonly externalRef: string | undefined;
  /** Whether it was deleted in beads. */
  readonly isDeleted: boolean;
  /** Whether it may be created in a tracker: it is open, and work. */
  readonly isCreatable: boolean;
}

/** The fields of an issue record that a synchronization reads. Only the issues pack knows the type of the record. */
interface IssueData {
  readonly title: string;
  readonly description?: string;
  readonly status: string;
  readonly labels?: readonly string[];
  readonly assignee?: string;
  readonly external_ref?: string;
  readonly issue_type?: string;
  readonly ephemeral?: boolean;
}

/** The kind of issues, if the caller may read them. @throws ToolError */
export function requireIssueKind({ access }: ToolContext): Kind {
  const found = access?.kinds().find(({ name }) => name === "issue");
  if (found !== undefined) return found;
  throw new ToolError("unavailable", "issue_sync needs the issues pack on the same server", "The user can mount it.");
}

/** Reads the issues of the workspace. Those without a reference are included. */
export async function readIssues(store: Store, kind: Kind, setting: SyncSetting): Promise<readonly LocalIssue[]> {
  const issues = everyRecord(store, kind, { sort: ["graph.age"], includeClosed: true, pageSize: 200 });
  return Array.fromAsync(issues, (found) => localIssue(found, setting));
}

/** Reads an issue again. Undefined if it is gone. */
export async function readIssue(
  { store, kind, setting }: { readonly store: Store; readonly kind: Kind; readonly setting: SyncSetting },
  id: string,
): Promise<LocalIssue | undefined> {
  const found = await store.get(kind, id);
  return found && localIssue(found, setting);
}

function localIssue({ id, generation, data: record }: Stored<unknown>, { fields, mapping }: SyncSetting): LocalIssue {
  const data = record as IssueData;
  const isDeleted = data.status === "tombstone";
  const isWork = data.issue_type !== "gate" && data.ephemeral !== true;
  return {
    id,
    generation,
    title: data.title,
    externalRef: data.external_ref === "" ? undefined : data.external_ref,
    ...readFields(fields, data, (field, value) => toTracker(mapping, field, value)),
    isDeleted,
    isCreatable: isWork && !isDeleted && data.status !== "closed",
  };
}

/** Reads the links of a synchronization, by the ids of their issues. */
export async function readLinks(store: Store, sync: string): Promise<ReadonlyMap<string, Link>> {
  const links = await Array.fromAsync(everyRecord(store, linkKind, { filter: { sync } }), ({ data }) => data);
  return new Map(links.map((link) => [link.issue, link]));
}
