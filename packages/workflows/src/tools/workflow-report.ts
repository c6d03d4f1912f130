import { defineTool, detail, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { renderCounts, renderEntry } from "../report/answer.ts";
import { resultText } from "../report/result-text.ts";
import { shownEntry, type Entry } from "../report/entry.ts";
import type { Reports } from "../report/reports.ts";
import { reportStatuses } from "../report/report-kind.ts";
import { textOfResult } from "@toolpacks/expressions";
import { reportField, workflowField } from "./run-options.ts";

const formats = ["text", "json", "data"] as const;
/** Maximum steps that a report shows, as a text and as data. `step` shows any step. */
const maxSteps = { text: 200, json: 400, data: 400 } as const;
/** Characters of a long result in one answer. */
const pageLength = 20_000;

const input = z.object({
  report: reportField.optional().describe("a report's id; default: the last"),
  workflow: workflowField.optional().describe("the last report of this one"),
  format: z.enum(formats).optional().describe("data: the results by step"),
  step: z.string().min(1).max(900).optional().describe("show this step's result"),
  offset: z.int().min(0).optional().meta(detail("characters of the result to pass over")),
});

/** Maximum length of a plan's text without `format: json`. */
const maxPlanText = 20_000;

const output = z.object({
  format: z.enum(formats),
  report: z.string().meta(detail("its id")),
  generation: z.int(),
  workflow: z.string(),
  status: z.enum(reportStatuses),
  started: z.string(),
  ended: z.string().optional(),
  reason: z.string().optional(),
  resumes: z.string().optional(),
  resumedBy: z.string().optional(),
  waits: z
    .array(z.looseObject({ step: z.string() }))
    .optional()
    .meta(detail("what a waiting run waits for, and since when")),
  counts: z.record(z.string(), z.int()),
  plan: z.record(z.string(), z.unknown()).optional().meta(detail("what resuming it runs, and with what input")),
  unknown: z.array(z.string()).optional().meta(detail("calls that began and did not end, and may have acted")),
  steps: z.array(shownEntry).optional(),
  more: z.int().optional().meta(detail("steps that are not shown")),
  results: z
    .record(z.string(), z.unknown())
    .optional()
    .meta(detail("by step: all with format data, short ones with text")),
  result: z
    .object({ step: z.string(), size: z.int(), offset: z.int(), text: z.string(), next: z.int().optional() })
    .optional()
    .meta(
      detail(
        "a piece of one step's result: its text if it has nothing else, otherwise JSON; next is the offset of what follows",
      ),
    ),
});

type Report = z.output<typeof output>;

/** `workflow_report`: shows the report of a run. */
export function workflowReport(reports: Reports): Tool {
  return defineTool({
    name: "workflow_report",
    description: "Show what a run of a workflow did, or one step's whole result.",
    keywords: ["history", "outcome", "log", "last run", "routine", "result"],
    aliases: ["routine_report"],
    examples: [{ say: "what did the last run do", args: {} }],
    mutates: false,
    input,
    output,
    text: render,
    handler: async ({ format = "text", step, offset = 0, ...which }, { principal }) => {
      const { findReport, readEntries, readResult } = await import("../report/read-report.ts");
      const { currentStatus } = await import("../report/owner.ts");
      const { shownPlan } = await import("../report/plan.ts");
      const { shownWait, waitsOf } = await import("../report/wait.ts");
      const { store } = reports;
      const head = await findReport(reports, { ...which, principal });
      const { id: report, generation } = head;
      const { workflow, started, ended, reason, resumes, resumedBy, counts } = head.data;
      const run = { workflow, started, ended, reason, resumes, resumedBy, counts };
      const about = { format, status: currentStatus(head), report, generation, ...run };
      const read = (path: string) => readResult(store, head, path);
      if (step !== undefined) return { ...about, result: pieceOf(step, await read(step), offset) };
      const { entries, total } = await readEntries(store, head, maxSteps[format]);
      const plan = shownPlan(head);
      const unknown = about.status === "running" ? [] : Object.keys(head.data.pending ?? {});
      const waits = about.status === "waiting" ? waitsOf(head.data) : [];
      return {
        ...about,
        ...(waits.length > 0 && { waits: waits.map((wait) => ({ ...shownWait(wait) })) }),
        ...(plan && Object.keys(plan).length > 0 && { plan }),
        ...(unknown.length > 0 && { unknown }),
        steps: [...entries],
        ...(total > entries.length && { more: total - entries.length }),
        ...(format === "data" && { results: await resultsOf(entries, read) }),
        ...(format === "text" && { results: await resultsOf(shortEntries(entries), read) }),
      };
    },
  });
}

function pieceOf(step: string, json: string, offset: number): NonNullable<Report["result"]> {
  const text = textOfResult(JSON.parse(json)) ?? json;
  const end = offset + pageLength;
  const next = end < text.length ? end : undefined;
  return { step, size: text.length, offset, text: text.slice(offset, end), next };
}

/** Maximum characters of the results in a text. */
const maxShownResults = 12_000;

/** The entries whose results fit into a text, shortest first. */
function shortEntries(entries: readonly Entry[]): readonly Entry[] {
  let left = maxShownResults;
  return entries
    .filter(({ handle }) => handle === undefined)
    .toSorted((a, b) => (a.size ?? 0) - (b.size ?? 0))
    .filter(({ size = 0 }) => (left -= size) >= 0);
}

/** Results of the workflow's own steps, without nested ones. */
async function resultsOf(
  entries: readonly Entry[],
  read: (path: string) => Promise<string>,
): Promise<Record<string, unknown>> {
  const left = entries.filter(({ step, size }) => size !== undefined && !step.includes("/"));
  const results = await Promise.all(
    left.map(async ({ step, handle }) => [step, handle ?? (JSON.parse(await read(step)) as unknown)] as const),
  );
  return Object.fromEntries(results);
}

function render(report: Report): string {
  const { format, result, results, steps = [], unknown = [], more } = report;
  if (result !== undefined) {
    const next =
      result.next === undefined ? "" : `\n(${result.next} of ${result.size} characters; next: offset ${result.next})`;
    return `${result.text}${next}`;
  }
  if (format === "json") return JSON.stringify(report);
  if (format === "data") return JSON.stringify(results);
  const { resumes, resumedBy, started, ended, reason } = report;
  return [
    `report ${report.report}: ${report.workflow} ${report.status}, ${renderCounts(report.counts, report.status)}`,
    `${started} to ${ended ?? "?"}${reason === undefined ? "" : `: ${reason}`}`,
    ...(resumes === undefined ? [] : [`goes on with report ${resumes}`]),
    ...(resumedBy === undefined ? [] : [`resumed by report ${resumedBy}`]),
    ...(report.plan === undefined ? [] : [renderPlan(report.plan)]),
    ...unknown.map((path) => `${path}: unknown: it began, and its process died`),
    ...steps.map((entry) => renderEntry(withResult(entry, results))),
    ...(more === undefined ? [] : [`and ${more} more steps`]),
  ].join("\n");
}

/** Shows the whole result of a step in place of its first line. */
function withResult(entry: Entry, results: Report["results"] = {}): Entry {
  const { step } = entry;
  return Object.hasOwn(results, step) ? { ...entry, summary: resultText(results[step]) } : entry;
}

/** The plan is shown in full, so that nothing unseen is resumed. Its JSON is one line. */
function renderPlan(plan: NonNullable<Report["plan"]>): string {
  const text = JSON.stringify(plan);
  if (text.length <= maxPlanText) return `resuming it runs ${text}`;
  return `resuming it runs ${text.length} characters of steps and input; format json shows them`;
}
