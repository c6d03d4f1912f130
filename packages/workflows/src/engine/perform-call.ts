import {
  isModelResult,
  ToolError,
  withoutCompaction,
  type AskedModel,
  type Failure,
  type Outcome,
} from "@toolpacks/core";
import type { ModelAnswer } from "@toolpacks/models";
import type { StepOf } from "../definition/workflow.ts";
import { jsonSize, outcomeText, outcomeValue, type Template, withTexts } from "@toolpacks/expressions";
import { toKeptJson } from "../report/kept-result.ts";
import { resultText } from "../report/result-text.ts";
import { runningTools } from "../definition/own-tool.ts";
import { createEvaluation, resolve } from "./evaluate.ts";
import { summarize, type ActionResult } from "./action-result.ts";
import { accessOf, type Run, type Scope } from "./run.ts";

/** Calls a tool through dispatch, with the rights of the run's caller. */
export async function callTool(run: Run, step: StepOf<"tool">, scope: Scope): Promise<ActionResult> {
  const found = await accessOf(run.caller).resolve(step.tool);
  if ("failure" in found) return { status: "failed", failure: found.failure };
  if (runningTools.test(found.tool.name)) return { status: "failed", failure: noWorkflowTool(found.tool.name) };
  const given = withTexts(await resolved(run, step.params, scope), found.tool.input.json());
  const args = step.users.length > 0 ? withoutCompaction(found.tool, given) : given;
  const { mutates } = found.tool;
  if (run.dryRun && mutates) {
    const checked = await found.tool.input.check(args);
    if (checked.ok) return { status: "dry", params: args };
    return { status: "failed", failure: { code: "invalid_input", message: checked.message } };
  }
  if (mutates && run.readOnly) return { status: "failed", failure: readOnlyRun(found.tool.name) };
  if (mutates) await run.beforeChange();
  const outcome = await dispatch(run, { name: step.tool, args }, `${scope.path}${step.id}`);
  if (!outcome.ok) return { status: "failed", failure: outcome.failure };
  return { status: "ok", value: outcomeValue(outcome), summary: summarize(outcomeText(outcome)) };
}

/** @throws ToolError `too_large` for params beyond the run's memory limit */
async function resolved(run: Run, params: Template, scope: Scope): Promise<unknown> {
  const args = await resolve(run, params, scope);
  const size = await createEvaluation(run).measure(() => jsonSize(args, run.budget.remainingBytes));
  run.budget.checkBytes(size);
  return args;
}

/**
 * Calls a tool as the run's caller, with a complete result.
 *
 * @param operation tells this call from the others of the run. It is the same when a later run repeats the call.
 */
export function dispatch(
  { caller, first }: Run,
  call: { readonly name: string; readonly args: unknown },
  operation: string,
): Promise<Outcome> {
  const context = { ...caller, operation: `${first}/${operation}`, resultMode: "full" as const };
  return accessOf(caller).dispatch({ ...call, context });
}

/** The failure of what changes anything in a run that only reads. */
export function readOnlyRun(name: string): ToolError {
  return new ToolError("denied", `${name} changes things, and the run is read-only`, "Leave out readOnly.");
}

function noWorkflowTool(name: string): Failure {
  return {
    code: "invalid_input",
    message: `tool: a step may not call ${name}`,
    hint: 'A step {"workflow": name, "input": {…}} runs another workflow.',
  };
}

/** Runs a step of a pack's step type. */
export async function runTyped(run: Run, step: StepOf<"step">, scope: Scope): Promise<ActionResult> {
  const found = await accessOf(run.caller).resolveStep(step.step);
  if ("failure" in found) return { status: "failed", failure: found.failure };
  const { type } = found;
  const checked = await type.params.check(withTexts(await resolved(run, step.params, scope), type.params.json()));
  if (!checked.ok) throw new ToolError("invalid_input", checked.message);
  if (run.dryRun && type.mutates) return { status: "dry", params: checked.value };
  if (type.mutates && run.readOnly) return { status: "failed", failure: readOnlyRun(type.name) };
  if (type.mutates) await run.beforeChange();
  const result = await type.run(checked.value, run.caller);
  if (!isModelResult(result)) return { status: "ok", value: result, summary: summarize(toKeptJson(result)) };
  const { value, asked } = result;
  return { status: "ok", value, summary: summarize(resultText(value)), asked };
}

const maxPromptLength = 400_000;

/** Asks a model. A dry run does not ask, since it costs money. */
export async function callModel(run: Run, step: StepOf<"model">, scope: Scope): Promise<ActionResult> {
  const prompt = resultText(await resolve(run, step.prompt, scope));
  const system = step.system && resultText(await resolve(run, step.system, scope));
  if (prompt.length > maxPromptLength) {
    const problem = `prompt: ${prompt.length} characters, more than ${maxPromptLength}`;
    throw new ToolError("too_large", problem, "Use a shorter value.");
  }
  if (run.dryRun) return { status: "dry", params: { prompt, system } };
  await run.beforeChange();
  const { schema, serves } = step;
  const answer = await run.engine.models.ask({ ...serves, prompt, system, schema, signal: run.signal }, run.caller);
  const { value } = answer;
  const text = typeof value["text"] === "string" ? value["text"] : JSON.stringify(value);
  return { status: "ok", value, summary: summarize(text), asked: askedModel(answer, serves) };
}

function askedModel({ model, cost, passedOver }: ModelAnswer, serves: StepOf<"model">["serves"]): AskedModel {
  return {
    model: "task" in serves ? model : undefined,
    cost,
    passedOver: passedOver.length > 0 ? [...passedOver] : undefined,
  };
}
