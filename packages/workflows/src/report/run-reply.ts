import { failedReply, renderFailure, type Failure, type Reply } from "@toolpacks/core";
import type { RunResult } from "../engine/run-workflow.ts";
import { answerRun, renderCounts, renderRun, type RunAnswer } from "./answer.ts";
import { inlineName } from "../definition/compile-inline.ts";
import { shareResults } from "./shown-steps.ts";

/** The reply of a call that ran a workflow. A failed or cancelled run is a failure that holds the results of succeeded steps. */
export function replyToRun(runResult: RunResult): RunAnswer | Reply {
  const answer = answerRun(runResult);
  if (answer.status !== "failed" && answer.status !== "cancelled") return answer;
  const succeeded = shareResults(runResult.succeeded);
  const { result: _result, handle: _handle, last: _last, ...rest } = answer;
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
