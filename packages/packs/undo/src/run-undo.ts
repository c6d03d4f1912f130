import { ToolError, type ToolContext } from "@toolpacks/core";
import type { OpenUndo } from "./open-undo.ts";
import type { KeptEntry } from "./entry.ts";
import { selectEntries, type Selected, type Selection, type UndoPart } from "./select-entries.ts";
import { createFileUndo } from "./undo-files.ts";
import { createRecordUndo } from "./undo-records.ts";

interface UndoRequest {
  readonly dryRun?: boolean | undefined;
  /** Takes back what has no conflict. Default: a conflict refuses all. */
  readonly skipConflicts?: boolean | undefined;
  readonly context: ToolContext;
}

const maxDiffCharacters = 100_000;

/** Takes back calls one by one, the newest first, after all were checked. */
export async function runUndo(opened: OpenUndo, selection: Selection, options: UndoRequest) {
  const { dryRun = false, skipConflicts = false, context } = options;
  const chosen = await selectEntries(opened, selection, context);
  const parts = [createFileUndo, createRecordUndo, createInverseUndo].map((create) => create(chosen));
  const undone: (readonly [KeptEntry, UndoPart])[] = [];
  const conflicts: { readonly call: string; readonly tool: string; readonly reason: string }[] = [];
  for (const entry of chosen.selected) {
    try {
      const part = parts.find((one) => one.has(entry));
      if (part === undefined) throw new ToolError("conflict", entry.problem ?? "it has changed nothing");
      await checkRights(entry, context);
      await chosen.requireNewest(entry);
      await part.plan(entry);
      chosen.history.plan(entry);
      undone.push([entry, part]);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      conflicts.push({ call: entry.call, tool: entry.tool, reason: error.message });
    }
  }
  const answer = { undone: undone.map(([entry]) => entry), conflicts };
  if (dryRun) {
    const diff = (await Array.fromAsync(parts, (part) => part.diff())).flat().join("\n");
    const isLong = diff.length > maxDiffCharacters;
    return { ...answer, diff: isLong ? `${diff.slice(0, maxDiffCharacters)}\n(the diff is longer)` : diff };
  }
  if (conflicts.length > 0 && !skipConflicts) {
    const lines = conflicts.slice(0, 10).map(({ call, tool, reason }) => `${call} ${tool}: ${reason}`);
    const message = [`${conflicts.length} changes cannot be taken back, and nothing was:`, ...lines].join("\n");
    const hint = `"skipConflicts": true takes back the ${undone.length} others; "dryRun": true shows them.`;
    throw new ToolError("conflict", message, undone.length === 0 ? undefined : hint);
  }
  const own = opened.entryOf("undo", context);
  let problem: string | undefined;
  for (const [at, [entry, part]] of undone.entries()) {
    try {
      context.signal.throwIfAborted();
      problem = (await part.undo(entry, own)) ?? problem;
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      const hint = `${at} of ${undone.length} changes were taken back. Call undo again: it goes on.`;
      throw new ToolError(error.code, error.message, hint);
    }
  }
  return { ...answer, problem };
}

/** @throws ToolError if the caller may not call the tool whose call is taken back, or the call cannot be taken back */
async function checkRights({ tool, inverse, problem }: KeptEntry, { access }: ToolContext): Promise<void> {
  if (problem !== undefined) throw new ToolError("conflict", problem);
  const found = await access?.resolve(inverse?.tool ?? tool);
  if (found !== undefined && !("failure" in found)) return;
  throw new ToolError("denied", found?.failure.message ?? `${tool} cannot be called here`);
}

/** Takes back calls of other servers by the calls that their blocks name. */
function createInverseUndo({ opened, context }: Selected): UndoPart {
  const planned: string[] = [];
  return {
    has: ({ inverse }) => inverse !== undefined,
    plan: async ({ inverse }) => void planned.push(`${inverse?.tool} ${JSON.stringify(inverse?.args)}`),
    async undo({ id, inverse: { tool, args } = { tool: "", args: {} } }, own) {
      const outcome = await context.access?.dispatch({ name: tool, args, context });
      if (outcome?.ok === false) throw new ToolError(outcome.failure.code, `${tool}: ${outcome.failure.message}`);
      const problem = "it called another server";
      await opened.log.add({ ...own, undoes: id, problem });
      return problem;
    },
    diff: async () => planned,
  };
}
