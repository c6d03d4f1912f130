import { ToolError } from "@toolpacks/core";
import type { KeptEntry } from "./entry.ts";
import { createHistory } from "./history.ts";
import type { UndoLog } from "./undo-log.ts";

type Fact = "call" | "unit" | "run" | "session" | "agent" | "tool";

/** Facts that entries have, and a time in ISO 8601 or a generation after which they are. */
export type Selection = Partial<Record<Fact, string | undefined>> & { readonly since?: string | number | undefined };

/**
 * Selects the entries of calls that were not taken back yet.
 *
 * @returns them, and all entries, the newest first, and the store's generation before they were read
 * @throws ToolError `not_found` if there are none
 */
export async function selectEntries(log: UndoLog, selection: Selection, isVisible: (entry: KeptEntry) => boolean) {
  const history = createHistory();
  const generation = await log.local.generation();
  // Ids are made before a call waits for others.
  const entries = (await Array.fromAsync(log.newestFirst())).toSorted((a, b) => b.generation - a.generation);
  for (const entry of entries) history.add(entry);
  const isMatch = (entry: KeptEntry) => entry.running === undefined && isVisible(entry) && matches(entry, selection);
  const matching = new Set(entries.filter(isMatch).map(({ id }) => id));
  const selected = entries.filter(
    ({ id, undoes = "" }) => matching.has(id) && history.takenBy(id) === undefined && !matching.has(undoes),
  );
  const problem = matching.size > 0 ? "it was taken back already" : "no such call";
  if (selected.length === 0 && selection.since === undefined)
    throw new ToolError("not_found", problem, "undo_list shows the calls.");
  return { selected, entries, history, generation };
}

/** Whether an entry has all that is selected. */
export function matches(entry: KeptEntry, { since = 0, ...facts }: Selection): boolean {
  const isLater = typeof since === "number" ? entry.generation > since : Date.parse(entry.at) > Date.parse(since);
  return isLater && (Object.keys(facts) as Fact[]).every((name) => (facts[name] ?? entry[name]) === entry[name]);
}
