import { type Store, ToolError, type ToolContext } from "@toolpacks/core";
import type { OpenUndo } from "./open-undo.ts";
import type { Entry, KeptEntry } from "./entry.ts";
import { planFiles } from "./planned-files.ts";
import { selectEntries, type Selection } from "./select-entries.ts";
import { planUndo, undoFiles } from "./undo-files.ts";
import { createRecordUndo } from "./undo-records.ts";

interface UndoRequest {
  readonly dryRun?: boolean | undefined;
  /** Takes back what has no conflict. Default: a conflict refuses all. */
  readonly skipConflicts?: boolean | undefined;
  readonly context: ToolContext;
}

/** Why a call cannot be taken back. */
interface Conflict {
  readonly call: string;
  readonly tool: string;
  readonly reason: string;
}

/** Takes back calls one by one, the newest first, after all were checked. */
export async function runUndo(opened: OpenUndo, selection: Selection, options: UndoRequest) {
  const { dryRun = false, skipConflicts = false, context } = options;
  context.signal.throwIfAborted();
  const { log, store, roots, show } = opened;
  const isVisible = (entry: KeptEntry) => opened.isVisible(entry, context);
  const { selected, entries, history, generation } = await selectEntries(log, selection, isVisible);
  const nameOf = {
    place: show,
    call: (other: KeptEntry) => (isVisible(other) ? callName(other) : "another caller"),
  };
  /** Checks again in the transaction that begins an undo, since others may have changed the same after the plan. */
  const checkAgain = async (entry: KeptEntry, local: Store = log.local) => {
    await history.addSince(local, generation);
    history.requireNewest(entry, nameOf);
  };
  const records = createRecordUndo(entries, { store, context, history, checkAgain });
  let files = planFiles(log.maxFileBytes);
  const [open, conflicts]: [KeptEntry[], Conflict[]] = [[], []];
  for (const entry of selected) {
    try {
      await checkRights(entry, context);
      history.requireNewest(entry, nameOf);
      if (roots !== undefined) files = (await planUndo(entry, files, { log, roots, show })).planned;
      await records.plan(entry);
      history.plan(entry);
      open.push(entry);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      conflicts.push({ call: entry.call, tool: entry.tool, reason: error.message });
    }
  }
  if (dryRun) {
    const { undoDiff } = await import("./undo-diff.ts");
    const diff = await undoDiff({ open, records: records.planned(), files }, opened);
    return { undone: open, conflicts, diff };
  }
  if (conflicts.length > 0 && !skipConflicts) throw conflictError(conflicts, open.length);
  const own = opened.entryOf("undo", context);
  let problem: string | undefined;
  for (const [at, entry] of open.entries()) {
    try {
      context.signal.throwIfAborted();
      if (entry.inverse !== undefined) {
        await callInverse(entry.inverse, context);
        problem = "it called another server";
        await log.add({ ...own, undoes: entry.id, problem });
      } else if (entry.records !== undefined) await records.undo(entry, own);
      else if (roots !== undefined)
        problem = (await undoFiles(entry, own, { log, roots, show, checkAgain })) ?? problem;
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const hint = `${at} of ${open.length} changes were taken back. Call undo again: it goes on.`;
      throw new ToolError(error.code, error.message, hint);
    }
  }
  return { undone: open, conflicts, problem };
}

/** @throws ToolError if the caller may not call the tool whose call is taken back, or the call cannot be taken back */
async function checkRights({ tool, inverse, problem }: KeptEntry, { access }: ToolContext): Promise<void> {
  if (problem !== undefined) throw new ToolError("conflict", problem);
  const found = await access?.resolve(inverse?.tool ?? tool);
  if (found !== undefined && !("failure" in found)) return;
  throw new ToolError("denied", found?.failure.message ?? `${tool} cannot be called here`);
}

/** Names a call for a person: `fs_write 1f2e-3 session abc at 2027-01-31T09:00:00Z`. */
function callName({ call, tool, agent, session, at }: KeptEntry): string {
  return `${[tool, call, agent, session && `session ${session}`].filter(Boolean).join(" ")} at ${at}`;
}

function conflictError(conflicts: readonly Conflict[], others: number): ToolError {
  const lines = conflicts.slice(0, 10).map(({ call, tool, reason }) => `${call} ${tool}: ${reason}`);
  const message = [`${conflicts.length} changes cannot be taken back, and nothing was:`, ...lines].join("\n");
  const hint = `"skipConflicts": true takes back the ${others} others; "dryRun": true shows them.`;
  return new ToolError("conflict", message, others === 0 ? undefined : hint);
}

async function callInverse({ tool, args }: NonNullable<Entry["inverse"]>, context: ToolContext): Promise<void> {
  const outcome = await context.access?.dispatch({ name: tool, args, context });
  if (outcome?.ok === false) throw new ToolError(outcome.failure.code, `${tool}: ${outcome.failure.message}`);
}
