import { failedReply, renderFailure, type Failure, type Reply } from "@toolpacks/core";
import type { RunResult } from "../engine/run-workflow.ts";
import { answerRun, renderCounts, renderRun, resultText, type RunAnswer } from "./answer.ts";

/** Maximum characters of the results of succeeded steps in the answer of a failed run. */
const maxShownResults = 4_000;

/** A step that succeeded in a run that failed. */
interface SucceededStep {
  readonly step: string;
  readonly target?: string;
  readonly result?: unknown;
  /** The handle of a result that is too long. */
  readonly handle?: string;
}

/** The reply of a call that ran a workflow. A failed or cancelled run is a failure that holds the results of succeeded steps. */
export function replyToRun(runResult: RunResult): RunAnswer | Reply {
  const answer = answerRun(runResult);
  if (answer.status !== "failed" && answer.status !== "cancelled") return answer;
  const succeeded = succeededSteps(runResult);
  const { result: _last, handle: _of, ...rest } = answer;
  const text = [renderRun(rest), ...succeeded.map(renderSucceeded)].join("\n");
  return failedReply([{ type: "text", text }], runFailure(runResult), { ...rest, succeeded });
}

function runFailure({ workflow, status, report, unkept, counts, shown }: RunResult): Failure {
  const failed = shown.find((entry) => entry.error !== undefined);
  const reason =
    failed?.error === undefined
      ? ""
      : `; step ${failed.step}: ${renderFailure({ code: failed.error.code, message: failed.error.message })}`;
  return {
    code: status === "cancelled" ? "cancelled" : (failed?.error?.code ?? "internal"),
    message: `workflow ${workflow} ${status}${report === undefined ? "" : `, report ${report.id}`}: ${renderCounts(counts)}${reason}`,
    hint:
      report === undefined || unkept !== undefined
        ? `${unkept?.message ?? ""}. Make room, and look at what the steps did before you run it again.`
        : `workflow_report {"report": "${report.id}"} shows each step; workflow_run {"resume": "${report.id}"} goes on.`,
  };
}

function succeededSteps({ succeeded }: RunResult): readonly SucceededStep[] {
  let left = maxShownResults;
  return succeeded.map(({ entry, value }) => {
    const { step, target, size = 0, handle } = entry;
    const isShown = handle === undefined && size <= left;
    if (isShown) left -= size;
    return {
      step,
      ...(target !== undefined && { target }),
      ...(isShown ? { result: value } : handle !== undefined && { handle }),
    };
  });
}

function renderSucceeded({ step, target, result, handle }: SucceededStep): string {
  const head = `${step}: ok${target === undefined ? "" : `, ${target}`}`;
  if (handle !== undefined) return `${head}, ${handle}`;
  if (result === undefined) return `${head}, its result is in the report`;
  return `${head} | ${resultText(result)}`;
}
