import { defineTool, detail, reply, ToolError, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { changesOf, pathsOf, shownChanges, type KeptEntry } from "./entry.ts";
import { selectEntries, type Selected, type Selection, type UndoPart } from "./history.ts";
import { problemNotice } from "./keep-call.ts";
import type { OpenUndo } from "./open-undo.ts";
import { createFileUndo } from "./undo-files.ts";
import { createRecordUndo } from "./undo-records.ts";

const id = z.string().min(1).max(200).optional();
const input = z.object({
  call: id.describe("a call"),
  unit: id.describe("a batch, workflow or script"),
  run: id.meta(detail("first report of a workflow")),
  session: id.describe("its id, or this"),
  since: z
    .union([z.iso.datetime({ offset: true }), z.int().min(0)])
    .optional()
    .describe("after a time or generation"),
  dryRun: z.boolean().optional().describe("show the diff"),
  skipConflicts: z.boolean().optional().meta(detail("default: refuse all")),
});

const change = z.object({ call: z.string(), tool: z.string(), changes: z.array(z.string()) });
const output = z.object({
  undone: z.array(change),
  conflicts: z.array(change.omit({ changes: true }).extend({ reason: z.string() })),
  dryRun: z.boolean().optional(),
  diff: z.string().optional(),
  call: z.string().optional().describe("this call, which can be taken back"),
  problem: z.string().optional().describe("why this call cannot be taken back"),
});

const listHint = "undo_list shows calls.";
const maxDiffCharacters = 100_000;
/** Maximum calls of each sort in the text. */
const maxLines = 30;

/** `undo`: takes back calls of tools one by one, the newest first, after all were checked. */
export function undoTool(open: () => Promise<OpenUndo>) {
  return defineTool({
    name: "undo",
    description: "Take back what calls have changed.",
    keywords: ["revert", "roll back", "restore", "redo", "earlier version", "mistake", "go back"],
    examples: [{ say: "show it first", args: { since: "2027-01-31T09:00:00Z", dryRun: true } }],
    mutates: true,
    effects: { openWorld: true, calls: true },
    input,
    output,
    text: render,
    async handler({ dryRun, skipConflicts = false, ...wanted }, context) {
      const opened = await open();
      const selection = { ...wanted, session: opened.sessionOf(wanted.session, context) };
      if (Object.values(selection).filter((one) => one !== undefined).length !== 1)
        throw new ToolError("invalid_input", "expected one of call, unit, run, session, since", listHint);
      return opened.log.alone(async () => {
        const { planned, conflicts, diff, ...chosen } = await planAll(opened, selection, context);
        const named = (entries: Planned) =>
          entries.map(([entry]) => ({ call: entry.call, tool: entry.tool, changes: changesOf(entry, opened.show) }));
        if (dryRun === true) {
          const preview = { undone: named(planned), conflicts, dryRun };
          const whole = await diff();
          // Two blocks, of which a relay keeps only the long one from the conversation.
          return reply([textBlock(render(preview)), textBlock(whole)], { ...preview, diff: whole });
        }
        if (conflicts.length > 0 && !skipConflicts) throw conflictError(conflicts, planned.length);
        const { problem, refused } = await undoAll(planned, { ...chosen, skipConflicts });
        const undone = named(planned.filter(([entry]) => !refused.has(entry)));
        const later = Array.from(refused, ([{ call, tool }, reason]) => ({ call, tool, reason }));
        const call = undone.length > 0 && problem === undefined ? context.callId : undefined;
        return { undone, conflicts: [...conflicts, ...later], problem, call };
      });
    },
  });
}

type Conflicts = z.output<typeof output>["conflicts"];

/** Entries with the part that takes them back. */
type Planned = readonly (readonly [KeptEntry, UndoPart])[];

async function planAll(opened: OpenUndo, selection: Selection, context: ToolContext) {
  const chosen = await selectEntries(opened, selection, context);
  const parts = [createFileUndo, createRecordUndo, createInverseUndo].map((create) => create(chosen));
  const [planned, conflicts]: [[KeptEntry, UndoPart][], Conflicts] = [[], []];
  for (const entry of chosen.selected) {
    try {
      const part = parts.find((one) => one.has(entry));
      if (part === undefined) throw new ToolError("conflict", entry.problem ?? "it has changed nothing");
      await checkRights(entry, chosen);
      await chosen.requireNewest(entry);
      await part.plan(entry);
      chosen.history.plan(entry);
      planned.push([entry, part]);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      conflicts.push({ call: entry.call, tool: entry.tool, reason: error.message });
    }
  }
  const diff = async () => {
    const whole = (await Array.fromAsync(parts, (part) => part.diff())).flat().join("\n");
    return whole.length > maxDiffCharacters ? `${whole.slice(0, maxDiffCharacters)}\n(the diff is longer)` : whole;
  };
  return { ...chosen, planned, conflicts, diff };
}

interface Execution extends Selected {
  readonly skipConflicts: boolean;
}

/** Returns why what was taken back cannot be taken back itself, and what was refused, such as by the rule of a record. */
async function undoAll(planned: Planned, { opened, context, requireNewest, skipConflicts }: Execution) {
  const refused = new Map<KeptEntry, string>();
  let problem: string | undefined;
  for (const [at, [entry, part]] of planned.entries()) {
    try {
      context.signal.throwIfAborted();
      await requireNewest(entry);
      const own = { ...opened.entryOf("undo", context), undoes: entry.id, needs: neededTool(entry) };
      problem = (await part.undo(entry, own)) ?? problem;
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      refused.set(entry, error.message);
      const isRefused = !context.signal.aborted && error.code !== "unavailable";
      if (skipConflicts && isRefused) continue;
      const next = isRefused ? '"skipConflicts": true leaves this one.' : "Call undo again: it goes on.";
      const hint = `${at} of ${planned.length} changes were taken back. ${next}`;
      throw new ToolError(error.code, error.message, hint);
    }
  }
  return { problem, refused };
}

/** @throws ToolError if the caller may not call the tool whose call is taken back, or the call cannot be taken back */
async function checkRights(entry: KeptEntry, { context, opened }: Selected): Promise<void> {
  if (entry.problem !== undefined) throw new ToolError("conflict", entry.problem);
  const found = await context.access?.resolve(neededTool(entry));
  if (found !== undefined && !("failure" in found)) {
    if (opened.mayChange(found.facet, pathsOf(entry))) return;
    throw new ToolError("denied", "a path is outside of its roots");
  }
  throw new ToolError("denied", found?.failure.message ?? `${entry.tool} cannot be called here`);
}

function neededTool({ needs, inverse, tool }: KeptEntry): string {
  return needs ?? inverse?.tool ?? tool;
}

/** Takes back calls of other servers by the calls that their blocks name. */
function createInverseUndo({ opened, context }: Selected): UndoPart {
  const planned: string[] = [];
  return {
    has: ({ inverse }) => inverse !== undefined,
    plan: async ({ inverse }) => void planned.push(`${inverse?.tool} ${JSON.stringify(inverse?.args)}`),
    async undo({ inverse: { tool, args } = { tool: "", args: {} } }, own) {
      const outcome = await context.access?.dispatch({ name: tool, args, context });
      if (outcome?.ok === false) throw new ToolError(outcome.failure.code, `${tool}: ${outcome.failure.message}`);
      const problem = "it called another server";
      await opened.log.add({ ...own, problem });
      return problem;
    },
    diff: async () => planned,
  };
}

function textBlock(text: string) {
  return { type: "text", text } as const;
}

function conflictError(conflicts: Conflicts, others: number): ToolError {
  const lines = conflicts.slice(0, 10).map(({ call, tool, reason }) => `${call} ${tool}: ${reason}`);
  const count = conflicts.length === 1 ? "1 change" : `${conflicts.length} changes`;
  const message = [`${count} cannot be taken back, and nothing was:`, ...lines].join("\n");
  const hint = `"skipConflicts": true takes back what can be, ${others} in all; "dryRun": true shows it.`;
  return new ToolError("conflict", message, others === 0 ? undefined : hint);
}

function render({ undone, conflicts, dryRun, problem, call }: z.output<typeof output>): string {
  const cut = (all: readonly string[]) =>
    all.length > maxLines ? [...all.slice(0, maxLines), `(${all.length - maxLines} more)`] : all;
  const left = dryRun === true ? "cannot be taken back" : "left";
  return [
    `${dryRun === true ? "would take back" : "took back"} ${undone.length} ${undone.length === 1 ? "change" : "changes"}`,
    ...cut(undone.map(({ call, tool, changes }) => `${call} ${tool}: ${shownChanges(changes)}`)),
    ...cut(conflicts.map(({ call, tool, reason }) => `${left}: ${call} ${tool}: ${reason}`)),
    ...(problem === undefined ? [] : [problemNotice(problem)]),
    ...(call === undefined ? [] : [`undo {"call": "${call}"} does it again`]),
  ].join("\n");
}
