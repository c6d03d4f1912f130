import { ToolError, type ToolContext } from "@toolpacks/core";
import type { Entry, KeptEntry } from "./entry.ts";
import type { UndoLog } from "./undo-log.ts";

/** Which calls to take back: one of these. */
export interface Selection {
  readonly call?: string | undefined;
  readonly unit?: string | undefined;
  readonly run?: string | undefined;
  readonly session?: string | undefined;
  /** Everything after a time in ISO 8601, or a generation. */
  readonly since?: string | number | undefined;
}

/** Why an entry cannot be taken back. */
export interface Conflict {
  readonly entry: KeptEntry;
  readonly reason: string;
}

/** Selects the entries of calls that were not taken back yet. @throws ToolError `not_found` if there are none */
export async function selectEntries(log: UndoLog, selection: Selection, context: ToolContext) {
  const read: KeptEntry[] = [];
  const matching = new Set<string>();
  let length = 0;
  for await (const entry of log.newestFirst()) {
    read.push(entry);
    if (!isVisible(entry, context) || !matches(entry, selection)) continue;
    matching.add(entry.id);
    length = read.length;
  }
  // Entries of several processes come in batches.
  const entries = read.slice(0, length).toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  const taken = takenBack(entries);
  const selected = entries.filter(
    ({ id, undoes }) => matching.has(id) && !taken.has(id) && undoes?.every((undone) => matching.has(undone)) !== true,
  );
  if (selected.length === 0)
    throw new ToolError(
      "not_found",
      matching.size > 0 ? "it was taken back already" : "no such call",
      "undo_list shows the calls.",
    );
  // What was taken back, and what took it back, cancel each other out.
  const cancelled = new Set([...taken].flatMap(([id, by]) => [id, by.id]));
  /** `entries`: every entry since the oldest selected one. Both are newest first. */
  return { selected, entries, cancelled };
}

/** The entries that are taken back, by their ids, with those that took them back. */
export function takenBack(newestFirst: Iterable<KeptEntry>, taken = new Map<string, KeptEntry>()) {
  for (const entry of newestFirst) {
    // A killed undo has not taken back what it was about to.
    const isKilled = entry.files?.some(({ after }) => after === undefined) === true;
    if (isKilled || taken.has(entry.id)) continue;
    for (const id of entry.undoes ?? []) if (!taken.has(id)) taken.set(id, entry);
  }
  return taken;
}

/** Principals see their own calls. The local user sees all. */
export function isVisible({ principal }: Entry, context: ToolContext): boolean {
  return context.principal === "" || context.principal === principal;
}

function matches(entry: KeptEntry, { since, ...ids }: Selection): boolean {
  if (typeof since === "number") return entry.generation > since;
  if (since !== undefined) return entry.at > since;
  return (["call", "unit", "run", "session"] as const).some(
    (name) => ids[name] !== undefined && entry[name] === ids[name],
  );
}

/** Names a call for a person: `fs_write of session abc at 2027-01-31T09:00:00Z`. */
export function callName({ call, tool, agent, session, at }: KeptEntry): string {
  return `${[tool, call, agent, session && `session ${session}`].filter(Boolean).join(" ")} at ${at}`;
}
