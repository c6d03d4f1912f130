import { detail, failedReply, renderFailure, unlisted, type Failure, type Reply } from "@toolpacks/core";
import { z } from "zod";
import { inlineName } from "../definition/workflow.ts";
import type { RunResult } from "../engine/run-workflow.ts";
import { itemCount } from "@toolpacks/expressions";
import { isLong, shownEntry, type Entry } from "./entry.ts";
import { resultText } from "./result-text.ts";
import { earlierSteps, renderShown, shareResults, type ShownStep } from "./shown-steps.ts";
import { reportStatuses } from "./report-kind.ts";

/** The answer of a call that ran a workflow. The report has the details. */
export const runOutput = z.object({
  report: z.string().optional().meta(detail("its id: for workflow_report, and to resume")),
  generation: z.int().optional().meta(detail("of the report, where it is on disk")),
  workflow: z.string(),
  status: z.enum(reportStatuses),
  reason: z.string().optional(),
  unkept: z.string().optional().meta(detail("why the report lacks steps, or is not there")),
  counts: z.record(z.string(), z.int()).meta(detail("steps by status")),
  changed: z.literal(true).optional().meta(detail("a step ran that changes something, or asks a model")),
  succeeded: z
    .array(z.looseObject({ step: z.string() }))
    .optional()
    .meta(detail("steps before the last one, with their results")),
  waits: z
    .array(z.looseObject({ step: z.string() }))
    .optional()
    .meta(detail("what a waiting run waits for: question, choices, schema, until, issue")),
  skipped: z.array(z.string()).optional().meta(detail("ids of steps that did not run")),
  last: z.string().optional().meta(detail("the id of the last step with a result")),
  steps: z
    .array(shownEntry)
    .optional()
    .meta(detail("those that failed, or for which another model was asked; in a dry run those that would have run")),
  result: z.unknown().optional().meta(detail("of the last step")),
  items: z.string().optional().meta(unlisted("of a list in it, if the server counts more")),
  handle: z.string().optional().meta(detail("of a result that is too long")),
  calls: z.string().optional().meta(unlisted("how many calls a script made: 7 calls, 1 failed (caught)")),
  printed: z.string().optional().meta(unlisted("what the script printed")),
});

type RunAnswer = z.output<typeof runOutput>;

function answerRun(runResult: RunResult): RunAnswer {
  const { report, unkept, workflow, status, reason, counts, changed, shown, skipped, last, hidesLast, waits } =
    runResult;
  const succeeded = earlierSteps(runResult);
  return {
    report: report?.id,
    generation: report?.generation,
    workflow,
    status,
    reason,
    unkept: unkept?.message,
    counts: { ...counts },
    ...(changed && { changed }),
    ...(waits.length > 0 && { waits: waits.map((wait) => ({ ...wait })) }),
    ...(shown.length > 0 && { steps: [...shown] }),
    ...(succeeded.length > 0 && { succeeded: succeeded.map((one) => ({ ...one })) }),
    ...(skipped.length > 0 && { skipped: skipped.map(({ step }) => step) }),
    ...(last && { last: last.entry.step, ...(!hidesLast && shownResult(last, report !== undefined)) }),
    ...(last?.entry.kind === "code" && {
      calls: last.entry.summary,
      printed: last.entry.printed?.slice(0, maxOfCode),
    }),
  };
}

/** The reply of a call that ran a workflow. A failed or cancelled run is a failure that holds the results of succeeded steps. */
export function replyToRun(runResult: RunResult): RunAnswer | Reply {
  const answer = answerRun(runResult);
  if (answer.status !== "failed" && answer.status !== "cancelled") return answer;
  const succeeded = shareResults(runResult.succeeded);
  const { result: _result, items: _items, handle: _handle, last: _last, ...rest } = answer;
  const whole = { ...rest, ...(succeeded.length > 0 && { succeeded: succeeded.map((one) => ({ ...one })) }) };
  const text = [renderRun(whole), ...goOn(runResult)].join("\n");
  return failedReply([{ type: "text", text }], runFailure(runResult), whole);
}

/** How to go on without repeating the steps that succeeded. */
function goOn({ report, unkept, succeeded, workflow }: RunResult): readonly string[] {
  if (report === undefined || unkept !== undefined || succeeded.length === 0) return [];
  const resumed = `workflow_run {"resume": "${report.id}"} goes on without repeating what succeeded`;
  const changed = "; to go on with other steps, leave out those and write their values into the new ones";
  return [`${resumed}${workflow === inlineName ? changed : ""}.`];
}

function runFailure({ workflow, status, report, unkept, counts, shown, error }: RunResult): Failure {
  const errors = shown.filter((entry) => entry.error !== undefined);
  const failed = errors.find((entry) => entry.error?.message === error?.message) ?? errors[0];
  const reason =
    failed?.error === undefined
      ? ""
      : `; step ${failed.step}: ${renderFailure({ code: failed.error.code, message: failed.error.message })}`;
  return {
    code: status === "cancelled" ? "cancelled" : (failed?.error?.code ?? "internal"),
    message: `workflow ${workflow} ${status}${report === undefined ? "" : `, report ${report.id}`}: ${renderCounts(counts, status)}${reason}`,
    hint:
      report === undefined || unkept !== undefined
        ? `${unkept?.message ?? ""}. Make room, and look at what the steps did before you run it again.`
        : `workflow_report {"report": "${report.id}"} shows each step; workflow_run {"resume": "${report.id}"} goes on.`,
  };
}

/** Maximum characters of a script's result in an answer, and of what it printed. */
const maxOfCode = 12_000;

/** A long result is shown as its handle. Without a report nothing is kept of it. */
function shownResult({ entry, value }: NonNullable<RunResult["last"]>, isKept: boolean): Partial<RunAnswer> {
  const { size = 0, kind } = entry;
  if (!isLong(size) || (kind === "code" && size <= maxOfCode)) return { result: value, items: itemCount(value) };
  return isKept && entry.handle !== undefined ? { handle: entry.handle, items: itemCount(value, "", 0) } : {};
}

/**
 * Renders a line for the run and a line for each step, with its result. For one step that only read and succeeded, it renders the
 * result alone.
 */
export function renderRun(answer: RunAnswer): string {
  const { report, unkept, workflow, status, reason, counts, changed, steps = [], result, items, handle } = answer;
  const { succeeded = [], skipped = [], last = "" } = answer;
  // The status says that every step succeeded.
  const isPlain = Object.keys(counts).every((one) => one === "ok");
  const isRead = isPlain && changed === undefined && unkept === undefined && result !== undefined;
  const { calls, printed = "" } = answer;
  if (calls !== undefined && status === "ok" && succeeded.length === 0 && unkept === undefined) {
    const shown =
      handle === undefined ? resultText(result) : `result: ${handle}; read it with workflow_report {report, step}`;
    return `${printed}${shown}\n${calls}; report ${report}`;
  }
  const alone = isRead && succeeded.length === 0 ? resultText(result) : "";
  if (alone !== "") return alone;
  const head = `${workflow} ${status}${report === undefined ? "" : `, report ${report}`}${isPlain ? "" : `: ${renderCounts(counts, status)}`}`;
  const shown = succeeded as readonly ShownStep[];
  const isCut = shown.some(({ more }) => more !== undefined);
  const count = items === undefined ? "" : `, ${items}`;
  const lastResult = succeeded.length === 0 ? resultText(result) : `${last}: ok${count} | ${resultText(result)}`;
  return [
    // Nothing has to be looked up in the report of a run that only read.
    ...(isRead && !isCut ? [] : [`${head}${reason === undefined ? "" : ` (${reason})`}`]),
    ...(unkept === undefined ? [] : [unkept]),
    ...steps.map(renderEntry),
    ...shown.map(renderShown),
    ...(skipped.length === 0 ? [] : [`skipped: ${skipped.join(", ")}`]),
    ...(result === undefined ? [] : [lastResult]),
    ...(answer.waits?.some((wait) => "question" in wait) === true
      ? [`workflow_run {"resume": "${report}", "answer": …} answers it.`]
      : []),
    ...(isSoft(answer) && report !== undefined && unkept === undefined
      ? [`workflow_run {"resume": "${report}"} runs again what failed.`]
      : []),
    ...(handle === undefined ? [] : [`result: ${handle}${count}; read it with workflow_report {report, step}`]),
    ...(isCut ? ['workflow_report {report, step} shows what was left out. "show": true on a step shows it here.'] : []),
  ].join("\n");
}

/** Whether steps failed, and the run went on after each of them. */
function isSoft({ counts, status }: Pick<RunAnswer, "counts" | "status">): boolean {
  return counts["failed"] !== undefined && (status === "ok" || status === "dry");
}

/** The steps by status: `3 ok, 1 failed (continued)` if the run went on after each failure. */
export function renderCounts(counts: RunAnswer["counts"], runStatus: RunAnswer["status"]): string {
  const note = isSoft({ counts, status: runStatus }) ? " (continued)" : "";
  return (
    Object.entries(counts)
      .map(([status, count]) => `${count} ${status}${status === "failed" ? note : ""}`)
      .join(", ") || "no steps"
  );
}

/** One line for a step, and a line for the hint of its error. */
export function renderEntry(entry: Entry): string {
  const { step, kind, target, status, attempts, summary, reason, error, rescued, params, handle, durationMs } = entry;
  const facts = [
    `${step}: ${status}`,
    target === undefined ? kind : `${kind} ${target}`,
    ...(durationMs >= 1 ? [`${Math.round(durationMs)} ms`] : []),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(entry.model === undefined ? [] : [`by ${entry.model}`]),
    ...(entry.passedOver ?? []).map((one) => `${one.model} passed over: ${one.reason}`),
    ...(rescued === true ? ["by its fallback"] : []),
    ...(reason === undefined ? [] : [reason]),
    ...(handle === undefined ? [] : [handle]),
  ];
  const after = [
    ...(error === undefined ? [] : [renderFailure({ code: error.code, message: error.message })]),
    ...(params === undefined ? [] : [JSON.stringify(params).slice(0, 1_000)]),
    ...(summary === undefined || error !== undefined ? [] : [summary]),
    ...(entry.printed === undefined ? [] : [`printed: ${entry.printed.slice(0, maxOfCode).trimEnd()}`]),
  ];
  const hint = error?.hint === undefined ? "" : `\n${error.hint}`;
  return [facts.join(", "), ...after].join(" | ") + hint;
}
