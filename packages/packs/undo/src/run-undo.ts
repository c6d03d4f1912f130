import { ToolError, type ToolContext } from "@toolpacks/core";
import type { Undo } from "./create-undo.ts";
import type { CallFacts, KeptEntry } from "./entry.ts";
import { callName, type Conflict, selectEntries, type Selection } from "./select-entries.ts";
import { inPlace, openChanges, type Planned, undoFiles } from "./undo-files.ts";
import { undoRecords } from "./undo-records.ts";

export interface UndoRequest extends Selection {
  readonly dryRun?: boolean | undefined;
  /** Takes back what has no conflict. Default: a conflict refuses all. */
  readonly skipConflicts?: boolean | undefined;
}

/** Takes back calls, the newest first: records in one transaction, then files and calls of other servers one by one. */
export async function runUndo(undo: Undo, request: UndoRequest, context: ToolContext, facts: CallFacts) {
  const { log, roots, show } = await undo.open();
  const { selected, entries, cancelled } = await selectEntries(log, request, context);
  const planned: Planned = new Map();
  const conflicts: Conflict[] = [];
  const isOpen = async (entry: KeptEntry) => {
    try {
      await checkRights(entry, context);
      const open = openChanges(entry, planned, log.images);
      for (const { path } of open)
        await roots?.at(path, async () => {}, { follow: false, access: "replace" }).catch(ignoreMissing);
      for (const { path, before } of open) planned.set(path, before);
      return true;
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      conflicts.push({ entry, reason: nameOther(error.message, entry, { entries, cancelled }) });
      return false;
    }
  };
  const open: KeptEntry[] = [];
  for (const entry of selected) if (await isOpen(entry)) open.push(entry);
  const records = { log, store: undo.options.store, context, facts, entries, cancelled };
  const tried = await undoRecords(
    open.filter((entry) => entry.records !== undefined),
    { ...records, isTried: true },
  );
  conflicts.push(...tried.conflicts);
  const others = open.filter((entry) => entry.records === undefined);
  const all = [...tried.undone, ...others];
  if (request.dryRun === true) {
    const { undoDiff } = await import("./undo-diff.ts");
    return {
      undone: all,
      conflicts,
      diff: undoDiff({ others, steps: tried.steps, planned, images: log.images, show }),
    };
  }
  if (conflicts.length > 0 && request.skipConflicts !== true) throw conflictError(conflicts, all.length);
  const { undone, conflicts: late } = await undoRecords(tried.undone, { ...records, isTried: false });
  for (const [at, entry] of others.entries()) {
    try {
      if (entry.files !== undefined && roots !== undefined) await undoFiles(entry, log, roots, facts);
      else
        await callInverse(entry, context).then(() =>
          log.add({ ...facts, undoes: [entry.id], problem: "it called another server" }),
        );
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const done = `${undone.length + at} of ${all.length} changes were taken back. Call undo again: it goes on with the others.`;
      throw new ToolError(error.code, error.message, done);
    }
  }
  return { undone: [...undone, ...others], conflicts: [...conflicts, ...late] };
}

/** @throws ToolError if the caller may not call the tool whose call is taken back, or the call cannot be taken back */
async function checkRights({ tool, inverse, problem }: KeptEntry, { access }: ToolContext): Promise<void> {
  if (problem !== undefined) throw new ToolError("conflict", problem);
  const found = await access?.resolve(inverse?.tool ?? tool);
  if (found !== undefined && !("failure" in found)) return;
  throw new ToolError("denied", found?.failure.message ?? `${tool} cannot be called here`);
}

/** A folder may be missing until a newer change is taken back. */
function ignoreMissing(error: unknown): void {
  if (!ToolError.is(error) || error.code !== "not_found") throw error;
}

/** Adds to the reason of a conflict which later call has changed the same file. */
function nameOther(
  reason: string,
  entry: KeptEntry,
  among: Pick<Awaited<ReturnType<typeof selectEntries>>, "entries" | "cancelled">,
): string {
  const { entries, cancelled } = among;
  const paths = new Set(entry.files?.map(({ path }) => path));
  const later = entries.slice(
    0,
    entries.findIndex(({ id }) => id === entry.id),
  );
  const other = later.find(({ id, files }) => !cancelled.has(id) && files?.some(({ path }) => paths.has(path)));
  return other === undefined ? reason : `${reason}; ${callName(other)} changed it`;
}

function conflictError(conflicts: readonly Conflict[], others: number): ToolError {
  const lines = conflicts.slice(0, 10).map(({ entry, reason }) => `${entry.call} ${entry.tool}: ${reason}`);
  const message = [`${conflicts.length} changes cannot be taken back, and nothing was:`, ...lines].join("\n");
  const hint = `"skipConflicts": true takes back the ${others} others; "dryRun": true shows them.`;
  return new ToolError("conflict", message, others === 0 ? undefined : hint);
}

async function callInverse({ inverse }: KeptEntry, context: ToolContext): Promise<void> {
  const { tool = "", args = {} } = inverse ?? {};
  const outcome = await context.access?.dispatch({ name: tool, args, context });
  if (outcome?.ok !== true)
    throw new ToolError(outcome?.failure.code ?? "unavailable", `${tool}: ${outcome?.failure.message}`);
}
