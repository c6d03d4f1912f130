import { ToolError, type ToolContext } from "@toolpacks/core";
import { callerStore } from "@toolpacks/store";
import { compileInline } from "../definition/compile-inline.ts";
import type { Workflow } from "../definition/workflow.ts";
import { planToResume, type Plan } from "../report/plan.ts";
import { findReport, readSteps } from "../report/read-report.ts";
import { reportsOfRun } from "../report/reports-of-run.ts";
import type { ReportHead } from "../report/owner.ts";
import { describeWait, isQuestion, waitsOf, type Wait } from "../report/wait.ts";
import { checkAnswer } from "./check-answer.ts";
import { issueReader } from "./issue-waits.ts";
import { isOver } from "./perform-wait.ts";
import type { Answers, RunWaits } from "./run-waits.ts";
import type { Engine } from "./run.ts";
import type { RunRequest } from "./run-workflow.ts";

/** A run to go on with. */
export interface Resumption {
  /** The report's id. */
  readonly report: string;
  /** The answer to its question. Undefined: none. */
  readonly answer?: unknown;
  /** The step whose question is answered. Default: the only one that asks. */
  readonly step?: string | undefined;
}

/**
 * The request that continues a run that ended early, or waits. Finished steps are taken from its report.
 *
 * @throws ToolError `not_found`; `invalid_input` for an answer that does not fit; `conflict` when the run is running, succeeded, was resumed before, still
 *   waits, or its workflow has changed
 */
export async function resumedRequest(
  engine: Engine,
  resumption: Resumption,
  context: Pick<ToolContext, "access" | "principal" | "elicit">,
): Promise<RunRequest> {
  const head = await findReport(engine, { report: resumption.report, principal: context.principal });
  const plan = planToResume(head);
  const waits = waitsOf(head.data);
  const answers = { ...plan.answers, ...(await givenAnswer(head, waits, resumption)) };
  if (resumption.answer === undefined && head.data.status === "waiting")
    await requireNews(head.id, waits, { ...context, findIssue: issueReader(engine.store, context) });
  const workflow = await sameWorkflow(engine, head, plan);
  const { inline, input, options, first = head.id, began } = plan;
  const reports = await reportsOfRun(callerStore(engine.store, context.principal), head);
  const earlier = await readSteps(engine.store, reports);
  const isUnattended = plan.isUnattended === true || head.data.status === "waiting";
  const asBefore = { inline, input, options, waits, answers, first, began, isUnattended };
  return { workflow, ...asBefore, resumes: head, earlier };
}

async function givenAnswer(
  { id, data: { status } }: ReportHead,
  waits: readonly Wait[],
  { answer, step }: Resumption,
): Promise<Answers> {
  if (answer === undefined) return {};
  const questions = status === "waiting" ? waits.filter(isQuestion) : [];
  if (questions.length === 0)
    throw new ToolError("conflict", `answer: report ${id} is ${status}; it asks nothing`, "Leave out answer.");
  const named = step === undefined ? questions : questions.filter((one) => one.step === step);
  const [wait, other] = named;
  if (wait === undefined || other !== undefined) {
    const open = questions.map((one) => `${one.step} ${describeWait(one)}`).join("; ");
    const problem = wait === undefined ? `no step ${JSON.stringify(step?.slice(0, 80))} asks` : "several steps ask";
    throw new ToolError("invalid_input", `step: ${problem}`, `Open questions: ${open}`.slice(0, 2_000));
  }
  return { [wait.step]: await checkAnswer(wait, answer) };
}

/** @throws ToolError `conflict` when a resumed run would only wait again */
async function requireNews(
  report: string,
  waits: readonly Wait[],
  { elicit, findIssue }: Pick<ToolContext, "elicit"> & Pick<RunWaits, "findIssue">,
): Promise<void> {
  for (const wait of waits) {
    if (isOver(wait) || (isQuestion(wait) && elicit !== undefined)) return;
    if (wait.issue !== undefined && (await findIssue(wait.issue))?.closed !== false) return;
  }
  const what = waits.map((wait) => describeWait(wait)).join("; ");
  const hint = waits.some(isQuestion) ? `workflow_run {"resume": "${report}", "answer": …} answers it.` : undefined;
  throw new ToolError("conflict", `resume: report ${report} still ${what}`.slice(0, 2_000), hint);
}

async function sameWorkflow({ library, inline }: Engine, { data }: ReportHead, plan: Plan): Promise<Workflow> {
  if (plan.inline) return compileInline(plan.source, { library, allowed: inline });
  const workflow = await library.find(data.workflow);
  if (JSON.stringify(workflow.source) === JSON.stringify(plan.source)) return workflow;
  const problem = `resume: ${data.workflow} is defined otherwise than when the run began`;
  throw new ToolError("conflict", problem, "Run it anew.");
}
