import { ToolError, type ToolContext } from "@toolpacks/core";
import type { OpenUndo } from "./open-undo.ts";
import type { KeptEntry } from "./entry.ts";
import { callName, type Conflict, selectEntries, type Selected, type Selection } from "./select-entries.ts";
import { openChanges, type Planned, undoFiles } from "./undo-files.ts";
import { undoRecords } from "./undo-records.ts";

export type UndoRequest = Selection & {
  readonly dryRun?: boolean | undefined;
  /** Takes back what has no conflict. Default: a conflict refuses all. */
  readonly skipConflicts?: boolean | undefined;
};

/** Takes back calls, the newest first: records in one transaction, then files and calls of other servers one by one. */
export async function runUndo(opened: OpenUndo, request: UndoRequest, context: ToolContext) {
  context.signal.throwIfAborted();
  const { log, store, roots, show, entryOf } = opened;
  const own = entryOf("undo", context);
  const found = await selectEntries(log, request, { context, store });
  const planned: Planned = new Map();
  const [open, conflicts]: [KeptEntry[], Conflict[]] = [[], []];
  for (const entry of found.selected) {
    try {
      await checkRights(entry, context);
      const changes = await openChanges(entry, planned, log);
      for (const { path } of changes)
        await roots?.at(path, async () => {}, { follow: false, access: "replace" }).catch(ignoreMissing);
      for (const { path, before } of changes) planned.set(path, before);
      open.push(entry);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      conflicts.push({ entry, reason: error.message + otherCall(entry, found) });
    }
  }
  const { dryRun = false, skipConflicts = false } = request;
  const others = open.filter((entry) => entry.records === undefined);
  const withRecords = open.filter((entry) => entry.records !== undefined);
  const options = { ...found, store, context, own };
  const isRefused = (more: readonly Conflict[]) => !skipConflicts && conflicts.length + more.length > 0;
  const records = await undoRecords(withRecords, options, (more) => dryRun || isRefused(more));
  const isAny = isRefused(records.conflicts);
  conflicts.push(...records.conflicts);
  const undone = [...records.undone, ...others];
  if (dryRun) {
    const { undoDiff } = await import("./undo-diff.ts");
    return {
      undone,
      conflicts,
      diff: await undoDiff({ others, steps: records.steps, planned, local: log.local, show }),
    };
  }
  if (isAny) throw conflictError(conflicts, undone.length);
  for (const [at, entry] of others.entries()) {
    try {
      context.signal.throwIfAborted();
      if (entry.inverse !== undefined) await callInverse(entry.inverse, context);
      if (entry.inverse !== undefined) log.add({ ...own, undoes: [entry.id], problem: "it called another server" });
      else if (roots !== undefined) await undoFiles(entry, own, { log, roots });
      // If this process is killed, the next undo goes on after this entry.
      await log.flush();
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const hint = `${records.undone.length + at} of ${undone.length} changes were taken back. Call undo again: it goes on.`;
      throw new ToolError(error.code, error.message, hint);
    }
  }
  return { undone, conflicts };
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

/** Which later call has changed the same files. */
function otherCall(entry: KeptEntry, { entries, cancelled }: Selected): string {
  const paths = new Set(entry.files?.map(({ path }) => path));
  const later = entries.slice(0, entries.indexOf(entry)).filter(({ id }) => !cancelled.has(id));
  const other = later.find(({ files }) => files?.some(({ path }) => paths.has(path)));
  return other === undefined ? "" : `; ${callName(other)} changed it`;
}

function conflictError(conflicts: readonly Conflict[], others: number): ToolError {
  const lines = conflicts.slice(0, 10).map(({ entry, reason }) => `${entry.call} ${entry.tool}: ${reason}`);
  const message = [`${conflicts.length} changes cannot be taken back, and nothing was:`, ...lines].join("\n");
  const hint = `"skipConflicts": true takes back the ${others} others; "dryRun": true shows them.`;
  return new ToolError("conflict", message, others === 0 ? undefined : hint);
}

async function callInverse({ tool, args }: NonNullable<KeptEntry["inverse"]>, context: ToolContext): Promise<void> {
  const outcome = await context.access?.dispatch({ name: tool, args, context });
  if (outcome?.ok === false) throw new ToolError(outcome.failure.code, `${tool}: ${outcome.failure.message}`);
}
