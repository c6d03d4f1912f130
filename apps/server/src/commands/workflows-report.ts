import { definedOnly, isObject, type Failure } from "@toolpacks/core";
import { shellQuote } from "@toolpacks/settings";
import { printableJson } from "@toolpacks/terminal";
import type { Flags } from "../config/settings.ts";
import { printHeading, printTable, type Column } from "../print-table.ts";
import { print, printResult } from "../print.ts";
import { localTime } from "./local-time.ts";
import { requireValue, showResult, withTools, type ToolResult, type Tools } from "./open-tools.ts";

export interface ReportFlags extends Flags {
  readonly workflow?: string;
  readonly step?: string;
  readonly json?: boolean;
}

/** A step as the workflow tools return it. */
export interface StepEntry {
  /** Its id, inside other steps after theirs. */
  readonly step: string;
  readonly kind?: string;
  /** The tool, model or workflow that it calls. */
  readonly target?: string;
  readonly status: string;
  readonly durationMs?: number;
  /** The beginning of its result. */
  readonly summary?: string;
  /** Why it did not run. */
  readonly reason?: string;
  readonly error?: Failure;
}

/** What a waiting run waits for. */
export interface Wait {
  readonly step: string;
  /** Absent if no person is asked. */
  readonly question?: string;
  readonly choices?: readonly string[];
  readonly since?: string;
}

/** A report as `workflow_report` returns it. */
interface Report {
  readonly report: string;
  readonly workflow: string;
  readonly status: string;
  readonly started: string;
  readonly ended?: string;
  readonly reason?: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly waits?: readonly Wait[];
  readonly steps?: readonly StepEntry[];
  /** Number of steps that are not in `steps`. */
  readonly more?: number;
  /** A piece of one step's result: its text if it has nothing else, otherwise JSON. */
  readonly result?: { readonly text: string; readonly next?: number };
}

const columns: readonly Column[] = [
  { title: "step", style: () => "cyan" },
  { title: "status", style: statusStyle },
  { title: "ms", isOptional: true },
  { title: "calls", isOptional: true },
  { title: "result", isText: true },
];

/** `toolpacks workflows report`: shows what a run did, or the whole result of one step. */
export async function showReport(id: string | undefined, flags: ReportFlags): Promise<void> {
  const { workflow, step } = flags;
  const args = definedOnly({ report: id, workflow, step, format: "json" });
  const result = await withTools(flags, (tools) => readReport(tools, args));
  showResult(result, flags, (report) => {
    if (report.result === undefined) showSteps(report);
    else printResult(report.result.text);
  });
}

/** Reads a report. The result of a step comes in pieces. */
async function readReport(tools: Tools, args: Readonly<Record<string, unknown>>): Promise<ToolResult<Report>> {
  const first = await tools.call<Report>({ tool: "workflow_report", args });
  if (!first.ok || first.value.result === undefined) return first;
  let { text, next } = first.value.result;
  while (next !== undefined) {
    const onward = { ...args, report: first.value.report, offset: next };
    const piece = requireValue(await tools.call<Report>({ tool: "workflow_report", args: onward })).result;
    text += piece?.text ?? "";
    next = piece?.next;
  }
  return { ...first, value: { ...first.value, result: { text } } };
}

/** Renders the result of a step. A result with a single text is shown as this text. */
export function renderResult(result: unknown): string {
  const isText = isObject(result) && typeof result["text"] === "string" && Object.keys(result).length === 1;
  const shown = isText ? result["text"] : result;
  return typeof shown === "string" ? shown : printableJson(shown, 2);
}

function showSteps({
  report,
  workflow,
  status,
  started,
  ended,
  reason,
  counts,
  steps = [],
  more,
  waits = [],
}: Report): void {
  printHeading(`${workflow} ${status}`);
  print(
    `run: ${report}`,
    `started: ${localTime(started)}`,
    ...(ended === undefined ? [] : [`took: ${Date.parse(ended) - Date.parse(started)} ms`]),
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    `steps: ${renderCounts(counts)}`,
    ...waits.flatMap(({ since }) => (since === undefined ? [] : [`waits since: ${localTime(since)}`])).slice(0, 1),
    ...answerHints(report, waits),
  );
  if (steps.length === 0) return;
  print("");
  printTable(columns, steps.map(stepRow));
  if (more !== undefined) print(`and ${more} more steps`);
}

/** How to answer the questions of a run. */
export function answerHints(report: string, waits: readonly Wait[]): readonly string[] {
  const questions = waits.filter(({ question }) => question !== undefined);
  return questions.map(({ step, choices }) => {
    const answer = choices === undefined ? "<answer>" : choices.map((one) => shellQuote(one)).join("|");
    const named = questions.length === 1 ? "" : ` --step ${shellQuote(step)}`;
    return `to answer: toolpacks workflows answer ${report} ${answer}${named}`;
  });
}

function stepRow({ step, status, durationMs = 0, target, kind, summary, reason, error }: StepEntry) {
  const note = error === undefined ? (reason ?? summary) : `${error.code}: ${error.message}`;
  return [step, status, Math.round(durationMs), target ?? kind, note];
}

/** Renders numbers of steps by status: `3 ok, 1 failed`. */
export function renderCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  return parts.join(", ") || "none";
}

function statusStyle(status: string): "green" | "red" | "dim" {
  if (status === "ok") return "green";
  return status === "failed" ? "red" : "dim";
}
