import { ToolError, type ToolContext } from "@toolpacks/core";
import type { OpenUndo } from "./open-undo.ts";
import type { Entry, KeptEntry } from "./entry.ts";
import { planFiles } from "./planned-files.ts";
import { isVisible, selectEntries, type Selected, type Selection } from "./select-entries.ts";
import { planUndo, undoFiles } from "./undo-files.ts";
import { createRecordUndo } from "./undo-records.ts";

export type UndoRequest = Selection & {
  readonly dryRun?: boolean | undefined;
  /** Takes back what has no conflict. Default: a conflict refuses all. */
  readonly skipConflicts?: boolean | undefined;
};

/** Why an entry cannot be taken back. */
interface Conflict {
  readonly entry: KeptEntry;
  readonly reason: string;
}

/** Takes back calls one by one, the newest first, after all were checked. */
export async function runUndo(opened: OpenUndo, request: UndoRequest, context: ToolContext) {
  context.signal.throwIfAborted();
  const { log, store, roots, show, entryOf } = opened;
  const found = await selectEntries(log, request, { context, store });
  const nameOf = (entry: KeptEntry) => (isVisible(entry, context, store) ? callName(entry) : "another caller");
  const records = createRecordUndo(found, { store, context, nameOf });
  const files = planFiles(log.maxFileBytes);
  const [open, conflicts]: [KeptEntry[], Conflict[]] = [[], []];
  for (const entry of found.selected) {
    try {
      await checkRights(entry, context);
      const changes = await planUndo(entry, files, { log, show });
      for (const path of [...changes.files.map((one) => one.path), ...(changes.move ? [changes.move.to] : [])])
        await roots?.at(path, async () => {}, { follow: false, access: "replace" }).catch(ignoreMissing);
      await records.plan(entry);
      open.push(entry);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const other = otherCall(entry, found);
      conflicts.push({ entry, reason: error.message + (other === undefined ? "" : `; ${nameOf(other)} changed it`) });
    }
  }
  const { dryRun = false, skipConflicts = false } = request;
  if (dryRun) {
    const { undoDiff } = await import("./undo-diff.ts");
    const diff = await undoDiff({ open, records: records.planned(), files, local: log.local, show });
    return { undone: open, conflicts, diff };
  }
  if (conflicts.length > 0 && !skipConflicts) throw conflictError(conflicts, open.length);
  const own = entryOf("undo", context);
  for (const [at, entry] of open.entries()) {
    try {
      context.signal.throwIfAborted();
      if (entry.inverse !== undefined) await callInverse(entry, own, { opened, context });
      else if (entry.records !== undefined) await records.undo(entry, own);
      else if (roots !== undefined) await undoFiles(entry, own, { log, roots, show });
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const hint = `${at} of ${open.length} changes were taken back. Call undo again: it goes on.`;
      throw new ToolError(error.code, error.message, hint);
    }
  }
  return { undone: open, conflicts };
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

/** Names a call for a person: `fs_write 1f2e-3 session abc at 2027-01-31T09:00:00Z`. */
function callName({ call, tool, agent, session, at }: KeptEntry): string {
  return `${[tool, call, agent, session && `session ${session}`].filter(Boolean).join(" ")} at ${at}`;
}

/** A later call that has changed the same files. */
function otherCall(entry: KeptEntry, { entries, cancelled }: Selected): KeptEntry | undefined {
  const paths = new Set(entry.files?.map(({ path }) => path));
  const later = entries.slice(0, entries.indexOf(entry)).filter(({ id }) => !cancelled.has(id));
  return later.find(({ files }) => files?.some(({ path }) => paths.has(path)));
}

function conflictError(conflicts: readonly Conflict[], others: number): ToolError {
  const lines = conflicts.slice(0, 10).map(({ entry, reason }) => `${entry.call} ${entry.tool}: ${reason}`);
  const message = [`${conflicts.length} changes cannot be taken back, and nothing was:`, ...lines].join("\n");
  const hint = `"skipConflicts": true takes back the ${others} others; "dryRun": true shows them.`;
  return new ToolError("conflict", message, others === 0 ? undefined : hint);
}

interface InverseCall {
  readonly opened: OpenUndo;
  readonly context: ToolContext;
}

async function callInverse({ id, inverse }: KeptEntry, own: Entry, { opened, context }: InverseCall): Promise<void> {
  if (inverse === undefined) return;
  const { tool, args } = inverse;
  const outcome = await context.access?.dispatch({ name: tool, args, context });
  if (outcome?.ok === false) throw new ToolError(outcome.failure.code, `${tool}: ${outcome.failure.message}`);
  await opened.log.add({ ...own, undoes: id, problem: "it called another server" });
}
