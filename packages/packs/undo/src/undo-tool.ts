import { defineTool, detail, ToolError } from "@toolpacks/core";
import { z } from "zod";
import type { OpenUndo } from "./open-undo.ts";
import { changesOf } from "./entry.ts";
import { problemNotice } from "./keep-call.ts";
import { runUndo } from "./run-undo.ts";

const id = z.string().min(1).max(200).optional();
const input = z.object({
  call: id.describe("a call"),
  unit: id.describe("a batch, workflow or script"),
  run: id.meta(detail("first report of a workflow")),
  session: id.describe("its id, or this"),
  since: z
    .union([z.iso.datetime(), z.int().min(0)])
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
  problem: z.string().optional().describe("why this call cannot be taken back"),
});

const listHint = "undo_list shows calls.";
/** Maximum changes of each sort in the text. */
const maxLines = 30;

/** `undo`: takes back calls of tools. */
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
    async handler({ dryRun, skipConflicts, ...wanted }, context) {
      const opened = await open();
      const { log, show, sessionOf } = opened;
      const selection = { ...wanted, session: sessionOf(wanted.session, context) };
      if (Object.values(selection).filter((one) => one !== undefined).length !== 1)
        throw new ToolError("invalid_input", "expected one of call, unit, run, session, since", listHint);
      const { undone, ...more } = await log.alone(() => runUndo(opened, selection, { dryRun, skipConflicts, context }));
      const named = undone.map((entry) => ({ call: entry.call, tool: entry.tool, changes: changesOf(entry, show) }));
      return { undone: named, dryRun, ...more };
    },
  });
}

function render({ undone, conflicts, dryRun, diff, problem }: z.output<typeof output>): string {
  const cut = (all: readonly string[]) =>
    all.length > maxLines ? [...all.slice(0, maxLines), `(${all.length - maxLines} more)`] : all;
  return [
    `${dryRun === true ? "would take back" : "took back"} ${undone.length} ${undone.length === 1 ? "change" : "changes"}`,
    ...cut(undone.map(({ call, tool, changes }) => `${call} ${tool}: ${cut(changes).join(", ")}`)),
    ...cut(conflicts.map(({ call, tool, reason }) => `left: ${call} ${tool}: ${reason}`)),
    ...(diff === undefined ? [] : [diff]),
    ...(problem === undefined ? [] : [problemNotice(problem)]),
  ].join("\n");
}
